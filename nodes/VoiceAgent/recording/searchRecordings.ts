import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { First, mapWithBreaks } from '../../data/breaks';
import { recordingPages } from '../../service/list/recordings';

/** More are too many for the editor at a time. It asks for the next ones when the user scrolls down. */
const SHOWN = 1_000;

interface Entry {
	callEndedAt: string;
	name: string;
	value: string;
}

/** The recordings for the list of the Recording parameter, the latest call first. */
export async function searchRecordings(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken = '0',
): Promise<INodeListSearchResult> {
	const wanted = filter.toLowerCase();
	const from = Number(paginationToken);
	const to = from + SHOWN;
	const latest = new First<Entry>(to + 1, latestFirst);
	// Here, an incomplete list is useful too.
	for await (const { recordings } of recordingPages(this)) {
		const entries = await mapWithBreaks(recordings, ({ sessionGuid, callEndedAt }) => {
			if (sessionGuid === null) return [];
			const ended = callEndedAt?.replace('T', ' ').slice(0, 16);
			const name = ended ? `${ended} UTC · ${sessionGuid}` : sessionGuid;
			const isWanted = name.toLowerCase().includes(wanted);
			return isWanted ? [{ callEndedAt: callEndedAt ?? '', name, value: sessionGuid }] : [];
		});
		await latest.add(entries.flat());
	}
	const sorted = await latest.sorted();
	return {
		results: sorted.slice(from, to).map(({ name, value }) => ({ name, value })),
		...(sorted.length > to && { paginationToken: String(to) }),
	};
}

/** Not by localeCompare, which is slow. */
function latestFirst(a: Entry, b: Entry): number {
	return Number(b.callEndedAt > a.callEndedAt) - Number(a.callEndedAt > b.callEndedAt);
}
