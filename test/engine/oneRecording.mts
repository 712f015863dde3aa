/** One recording, and a service that gives unexpected answers about it. */
import type { FaultRule } from '../../emulator/src/index.mts';
import type { Engine } from '../../harness/engine/engine.mts';
import type { Execution } from '../../harness/n8n/n8n.mts';
import { byGuid } from '../../harness/flow.mts';
import type { NodeRun } from '../../harness/nodeRun.mts';

export type Fault = FaultRule['fault'];

/** An answer with this body. */
export const reply = (body: unknown, status = 200): Fault => ({ kind: 'status', status, body });

export const legalHold = reply({ message: 'legal hold: recording must not be deleted' }, 400);
export const webPage: Fault = { kind: 'html', status: 404 };

/** Answers each request for this with the fault. */
export function always(
	{ emulator }: Engine,
	endpoint: NonNullable<FaultRule['match']>['endpoint'],
	fault: Fault,
): void {
	emulator.control.addFault({ match: { endpoint }, times: 'always', fault });
}

/** Answers each download and each delete with the fault. */
export function alwaysOfRecording(engine: Engine, fault: Fault): void {
	always(engine, 'downloadRecording', fault);
	always(engine, 'deleteRecording', fault);
}

/** Parameters of an operation on the recording that the item names. Delete asks for no proof. */
export const inRecording = (operation: string, more: object = {}) => ({
	resource: 'recording',
	operation,
	recording: byGuid(),
	requireProof: false,
	...more,
});

/** Parameters of Get Many, for all recordings. */
export const getMany = (more: object = {}) => ({
	resource: 'recording',
	operation: 'getMany',
	returnAll: true,
	...more,
});

/** Runs an operation on a recording. A failure becomes an item, which has its reason. */
export async function runOn(
	engine: Engine,
	operation: 'download' | 'delete',
	sessionGuid: string,
	options: Record<string, unknown> = {},
	more: Partial<NodeRun> = {},
): Promise<Execution> {
	return await engine.runNode({
		parameters: inRecording(operation, { options }),
		items: [{ sessionGuid }],
		settings: { onError: 'continueRegularOutput' },
		...more,
	});
}
