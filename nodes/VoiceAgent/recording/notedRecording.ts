import type { IExecuteFunctions } from 'n8n-workflow';

import { parseTime } from '../../data/times';
import type { AboutRecording } from '../../nodeError';
import { canonicalSessionGuid } from '../../service/sessionGuid';

/** Which recording each item of an execution of a node is about. */
const notedBy = new WeakMap<object, Map<number, AboutRecording>>();

/**
 * Notes which recording an item is about: for the list of executions, which can be searched by this,
 * for an error workflow, whichever node fails, and for the errors of this node.
 *
 * @param keptUntil until when the service keeps it, if that is known better than from the item
 */
export function noteRecording(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	keptUntil: unknown = context.getInputData()[itemIndex]?.json.keptUntil,
): void {
	const recordingKey = canonicalSessionGuid(sessionGuid);
	const about = { sessionGuid, recordingKey, keptUntil: timeOrNull(keptUntil) };
	const noted = notedBy.get(context) ?? new Map<number, AboutRecording>();
	notedBy.set(context, noted.set(itemIndex, about));

	const { $execution } = context.getWorkflowDataProxy(0);
	const { customData } = $execution as { customData: { setAll(values: object): void } };
	customData.setAll({ sessionGuid: recordingKey });
	const isOnlyOne = [...noted.values()].every((one) => one.recordingKey === recordingKey);
	// Of several, n8n does not say at which one a later node fails: none is better than a wrong one.
	const named = isOnlyOne ? about : { sessionGuid: null, recordingKey: null, keptUntil: null };
	Object.assign(context.getExecutionContext() ?? {}, named);
}

/** Which recording an item is about; `undefined` if it does not say. */
export function notedRecording(
	context: IExecuteFunctions,
	itemIndex: number,
): AboutRecording | undefined {
	return notedBy.get(context)?.get(itemIndex);
}

/** An item may say it in words. */
function timeOrNull(value: unknown): string | null {
	return typeof value === 'string' && !Number.isNaN(parseTime(value)) ? value : null;
}
