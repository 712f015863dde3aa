import type { IDataObject } from 'n8n-workflow';

import { optionsField, type ValuesOf } from '../../fields/field';
import { operation, outputItem } from '../../fields/operation';
import { request } from '../../service/http/request';
import { oncePerItem } from '../oncePerItem';
import { passThrough } from '../passThrough';
import {
	requireSomebodyToCall,
	formBody,
	namedBody,
	NUMBER_FIELD,
	numberBody,
	parsedBody,
} from '../requestBody';
import { detailsFields } from './callDetails';
import { placeOncePerKey, requireMaxCalls, requireMayPlace } from './callGuard';
import { destinationFieldOf, guardDestination } from './destinationGuard';
import { doNotCallField } from './doNotCall';

export const MAKE_CALL_PATH = '/api/customer/makecall';

export const make = operation({
	name: 'Make',
	value: 'make',
	action: 'Make call',
	description:
		'Place an outbound call that connects a recipient to the voice agent. Every execution dials, so never repeat a call that may have been placed.',
	usesAccount: true,
	fields: [
		...detailsFields,
		optionsField([
			{
				displayName: 'Allowed Destinations',
				name: 'allowedDestinations',
				type: 'string',
				default: '',
				placeholder: 'e.g. +1555*, +4930????????',
				description:
					'Only call numbers that match one of these patterns, separated by commas. * stands for any number of digits, ? for one. Recommended if an AI agent places calls.',
			},
			{
				displayName: 'Claimed By',
				name: 'claimedBy',
				type: 'string',
				default: '',
				placeholder: 'e.g. {{ $json.claim }}',
				description:
					'ID of the execution that has claimed this call, as noted in your table. If it is another one, such as before a Retry, the call is refused.',
			},
			{
				displayName: 'Destination Field',
				name: 'destinationField',
				type: 'string',
				default: NUMBER_FIELD,
				placeholder: 'e.g. to',
				description:
					"Name under which the service takes the number to call: 'To' is sent in this field, and 'Allowed Destinations' and 'Do Not Call' check it",
			},
			doNotCallField,
			{
				displayName: 'Max Calls per Execution',
				name: 'maxCalls',
				type: 'number',
				typeOptions: { minValue: 1, numberPrecision: 0 },
				default: 1,
				description:
					'Max number of calls that this node places in one execution of the workflow. If there are more items, it places no call.',
			},
			{
				displayName: 'Place Once per Key',
				name: 'placeOnce',
				type: 'string',
				default: '',
				placeholder: 'e.g. {{ $json.orderId }}',
				description:
					'Text that stands for this call, such as an order number. A second call with the same key is refused, in any execution.',
			},
		]),
	],
	oneAtATime: true,
	async execute({ options, ...values }, itemIndex) {
		const numberField = destinationFieldOf(options);
		const entered = enteredBody(values, numberField);
		requireSomebodyToCall(entered, numberField);
		requireMayPlace(this, options);
		const body = guardDestination(entered, options);

		const unclearReason = 'callMayHaveBeenPlaced';
		const place = async () => {
			const call = { itemIndex, body, ambiguous: unclearReason } as const;
			return await request(this, 'POST', MAKE_CALL_PATH, call);
		};
		const call = { body, unclearReason } as const;
		const answer = await oncePerItem(this, itemIndex, call, async (placedBefore) => {
			// All items of this run count, so that either all of them are called or none.
			const planned = placedBefore + this.getInputData().length;
			requireMaxCalls(planned, options.maxCalls);
			if (options.placeOnce === undefined) return await place();
			return await placeOncePerKey(this, options.placeOnce, place);
		});
		return [outputItem(itemIndex, passThrough(answer))];
	},
});

/** The call as the user has entered it, in one of four ways. */
function enteredBody(values: ValuesOf<typeof detailsFields>, numberField: string): IDataObject {
	switch (values.specifyBody) {
		case 'number':
			return numberBody(values.to, numberField, values.moreFields);
		case 'fields':
			return namedBody(values.fields);
		case 'service':
			return formBody(values.serviceFields);
		case 'json':
			return parsedBody(values.jsonBody);
	}
}
