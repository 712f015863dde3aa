import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';

import { isJsonObject } from '../data/json';

/**
 * What is known of the recordings. It is kept in the static data of the workflow, which n8n saves
 * with each execution.
 */

/** What is known of a recording; times in milliseconds since 1970, by the service's clock. */
export interface Entry {
	/** How often it was handed out (see waiting.ts). */
	attempt: number;
	/** When it was last handed out; if never, when it was first seen. */
	lastMs: number;
	/**
	 * What its age counts from: when its call ended, or, if no list has said that, when it was first
	 * seen.
	 */
	sinceMs: number;
	/** Whether an execution for it has succeeded. */
	succeeded?: true;
	/**
	 * Its session GUID as it was last listed. Left out if the end of its call is unknown, and once it
	 * was missing from a list: then it may be deleted, or was reported as lost.
	 */
	listedAs?: string;
}

/** By canonical session GUID. */
export type History = ReadonlyMap<string, Entry>;

/**
 * In the data of the whole workflow, by node id. n8n also has data for each node, but loses it when
 * the node is renamed.
 */
const STORE = 'voiceAgentRecordingTrigger';

export function loadHistory(context: ITriggerFunctions): History {
	const stored = historiesIn(context.getWorkflowStaticData('global'))[context.getNode().id];
	return readHistory(stored);
}

export function storeHistory(context: ITriggerFunctions, history: History): void {
	const data = context.getWorkflowStaticData('global');
	data[STORE] = { ...historiesIn(data), [context.getNode().id]: Object.fromEntries(history) };
}

/** Changes one entry only, because a history can have thousands. */
export function storeEntry(context: ITriggerFunctions, key: string, entry: Entry): void {
	const data = context.getWorkflowStaticData('global');
	const histories = historiesIn(data);
	(histories[context.getNode().id] as IDataObject)[key] = entry;
	// n8n saves what it has seen to change, and it does not look deeper than this.
	data[STORE] = histories;
}

function historiesIn(data: IDataObject): IDataObject {
	return (data[STORE] ?? {}) as IDataObject;
}

/**
 * Reads a stored history. Entries that are not valid are left out: workflows can change their
 * static data.
 */
export function readHistory(stored: unknown): History {
	const entries = Object.entries(isJsonObject(stored) ? stored : {});
	return new Map(entries.flatMap(([key, entry]) => (isEntry(entry) ? [[key, { ...entry }]] : [])));
}

function isEntry(value: unknown): value is Entry {
	if (!isJsonObject(value)) return false;
	const { attempt, lastMs, sinceMs, listedAs = '' } = value;
	return [attempt, lastMs, sinceMs].every(isCount) && typeof listedAs === 'string';
}

function isCount(value: unknown): value is number {
	return Number.isFinite(value) && (value as number) >= 0;
}
