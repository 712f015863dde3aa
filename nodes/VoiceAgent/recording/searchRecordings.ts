import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { mapWithBreaks, sortWithBreaks } from '../../service/breaks';
import type { ListedRecording } from '../../service/recordings';
import { readRecordings } from '../../service/recordings';

/** The recordings for the list of the Recording parameter, the latest call first. */
export async function searchRecordings(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const wanted = filter.toLowerCase();
	// Not localeCompare, which is slow.
	const isLater = (a: ListedRecording, b: ListedRecording) =>
		(a.callEndedAt ?? '') > (b.callEndedAt ?? '');
	const latestFirst = (a: ListedRecording, b: ListedRecording) =>
		Number(isLater(b, a)) - Number(isLater(a, b));
	// Here, an incomplete list is useful too.
	const { recordings } = await readRecordings(this);
	const sorted = await sortWithBreaks(recordings, latestFirst);
	const results = await mapWithBreaks(sorted, ({ sessionGuid, callEndedAt }) => {
		if (sessionGuid === null) return [];
		const ended = callEndedAt?.replace('T', ' ').slice(0, 16);
		const name = ended ? `${ended} UTC · ${sessionGuid}` : sessionGuid;
		return name.toLowerCase().includes(wanted) ? [{ name, value: sessionGuid }] : [];
	});
	return { results: results.flat() };
}
