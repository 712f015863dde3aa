import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import type { Entry, History } from './waitingRecordings';
import { readHistory, storedEntry } from './waitingRecordings';

/** Entry in the static data of the workflow. Each node of this type has its history there, under its id. */
const STORE = 'voiceAgentRecordingTrigger';

export function loadHistory(context: ITriggerFunctions): History {
	const stored = historiesIn(context.getWorkflowStaticData('global'))[context.getNode().id];
	return readHistory(stored);
}

/** In the data of the whole workflow by node id, because n8n loses the data of a node when the node is renamed. */
function historiesIn(data: IDataObject): IDataObject {
	return (data[STORE] ?? {}) as IDataObject;
}

export function storeHistory(context: ITriggerFunctions, history: History): void {
	const stored = Object.fromEntries([...history].map(([key, entry]) => [key, storedEntry(entry)]));
	const data = context.getWorkflowStaticData('global');
	data[STORE] = { ...historiesIn(data), [context.getNode().id]: stored };
}

/** Changes one entry only, because a history can have thousands. */
export function storeEntry(context: ITriggerFunctions, key: string, entry: Entry): void {
	const data = context.getWorkflowStaticData('global');
	const histories = historiesIn(data);
	(histories[context.getNode().id] as IDataObject)[key] = storedEntry(entry);
	// n8n saves what it has seen to change, and it does not look deeper than this.
	data[STORE] = histories;
}
