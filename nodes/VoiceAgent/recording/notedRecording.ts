import type { IExecuteFunctions } from 'n8n-workflow';

import type { NamedRecording } from '../../errors';
import { namedRecording } from '../../service/namedRecording';

/** Which recording each item is about, by the context that n8n makes for a run of a node. */
const notedBy = new WeakMap<object, Map<number, NamedRecording>>();

/**
 * Notes which recording an item is about: for the list of executions, which can be searched by it,
 * for an error workflow, whichever node fails, and for the errors of this node.
 *
 * @param keptUntil until when the service keeps it; if that is not known, what an earlier node
 * has noted in this execution
 */
export function noteRecording(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	keptUntil: unknown = context.getInputData()[itemIndex]?.json.keptUntil,
): void {
	const execution = (context.getExecutionContext() ?? {}) as Partial<NamedRecording>;
	const recording = namedRecording(sessionGuid, keptUntil);
	const { recordingKey } = recording;
	const isNotedBefore = execution.recordingKey === recordingKey;
	if (isNotedBefore && execution.keptUntil) recording.keptUntil ??= execution.keptUntil;
	const noted = notedBy.get(context) ?? new Map<number, NamedRecording>();
	notedBy.set(context, noted.set(itemIndex, recording));

	const { $execution } = context.getWorkflowDataProxy(0);
	const { customData } = $execution as { customData: { setAll(values: object): void } };
	customData.setAll({ sessionGuid: recordingKey });
	// If there are several, nothing says which of them a later node fails with.
	const isOnlyOne = [...noted.values()].every((one) => one.recordingKey === recordingKey);
	const none = { sessionGuid: null, recordingKey: null, keptUntil: null };
	Object.assign(execution, isOnlyOne ? recording : none);
}

/** Which recording an item is about; `undefined` if that was not noted. */
export function notedRecording(
	context: IExecuteFunctions,
	itemIndex: number,
): NamedRecording | undefined {
	return notedBy.get(context)?.get(itemIndex);
}
