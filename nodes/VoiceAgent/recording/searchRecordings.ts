import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import type { ListedRecording } from '../../service/recordings';
import { readRecordings } from '../../service/recordings';

/** The recordings for the list of the Recording parameter, the latest call first. */
export async function searchRecordings(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const wanted = filter.toLowerCase();
	const latestFirst = (a: ListedRecording, b: ListedRecording) =>
		(b.callEndedAt ?? '').localeCompare(a.callEndedAt ?? '');
	// Here, an incomplete list is useful too.
	const { recordings } = await readRecordings(this);
	const results = recordings
		.sort(latestFirst)
		.flatMap(({ sessionGuid, callEndedAt }) => {
			if (sessionGuid === null) return [];
			const ended = callEndedAt?.replace('T', ' ').slice(0, 16);
			return [{ name: ended ? `${ended} UTC · ${sessionGuid}` : sessionGuid, value: sessionGuid }];
		})
		.filter(({ name }) => name.toLowerCase().includes(wanted));
	return { results };
}
