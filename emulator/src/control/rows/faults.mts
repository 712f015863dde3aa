import { Type } from 'typebox';
import { AddedFault, FaultRule, requireFaultRule } from '../../faults/rule.mts';
import { ref } from '../../schema.mts';
import { control } from '../row.mts';

export const faultControls = {
	/** Every fault that was ordered, also those that are spent. */
	faults: control({
		method: 'GET',
		path: '/faults',
		summary: 'Faults that were ordered',
		reply: Type.Array(ref(AddedFault)),
		run: ({ faults }) => faults.all(),
	}),
	/**
	 * Orders a fault for requests to come: once, unless the rule says otherwise.
	 *
	 * @throws ServiceError 400 that names the fields
	 */
	addFault: control({
		method: 'POST',
		path: '/faults',
		summary: 'Order a fault for requests to come',
		body: FaultRule,
		check: requireFaultRule,
		reply: ref(AddedFault),
		args: (rule: FaultRule) => ({ body: rule }),
		run: ({ faults }, { body }) => faults.add(body),
	}),
	/** @throws ServiceError 404 */
	removeFault: control({
		method: 'DELETE',
		path: '/faults/:id',
		summary: 'Take back one fault',
		params: Type.Object({ id: Type.String({ pattern: '^[0-9]+$', examples: ['1'] }) }),
		args: (id: number) => ({ params: { id: String(id) } }),
		run: ({ faults }, { params }) => faults.remove(Number(params.id)),
	}),
	clearFaults: control({
		method: 'DELETE',
		path: '/faults',
		summary: 'Take back every fault',
		run: ({ faults }) => faults.clear(),
	}),
};
