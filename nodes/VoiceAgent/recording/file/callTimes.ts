import type { IDataObject } from 'n8n-workflow';

import { findCallEnd, RETENTION_MS } from '../../../service/retention';

/** When the call ended, and how long its recording is kept. What is not known is `null`. */
export function timesOf(call: IDataObject): IDataObject {
	const callEndMs = callEndIn(call);
	return { endedAt: isoTime(callEndMs), keptUntil: isoTime(callEndMs + RETENTION_MS) };
}

/** When the call ended, if that is known. */
export function knownEnd(call: IDataObject): IDataObject {
	const endedAt = isoTime(callEndIn(call));
	return endedAt === null ? {} : { endedAt };
}

/** When the call ended, in milliseconds since 1970, as the input item says; NaN if it does not. */
export function callEndIn(json: IDataObject): number {
	return findCallEnd(json, Date.now()) ?? NaN;
}

function isoTime(ms: number): string | null {
	return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
