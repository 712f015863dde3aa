import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { type ListedRecording, recordingPages } from '../../service/recordings';

/** More are too many for the editor. Their session GUID or the end of the call finds the others. */
const SHOWN = 1_000;

/** The recordings for the list of the Recording parameter, the latest call first. */
export async function searchRecordings(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const wanted = filter.toLowerCase();
	const entries: Array<{ endedAt: string; name: string; value: string }> = [];
	// Here, an incomplete list is useful too.
	for await (const { recordings } of recordingPages(this)) {
		for (const recording of recordings) {
			const { sessionGuid, endedAt } = recording;
			const name = nameOf(recording);
			if (sessionGuid === null || !name.toLowerCase().includes(wanted)) continue;
			entries.push({ endedAt: endedAt ?? '', name, value: sessionGuid });
		}
	}
	// The ends are in ISO 8601. `localeCompare` would be slow.
	entries.sort((a, b) => (a.endedAt === b.endedAt ? 0 : a.endedAt < b.endedAt ? 1 : -1));
	return { results: entries.slice(0, SHOWN).map(({ name, value }) => ({ name, value })) };
}

function nameOf({ sessionGuid, endedAt }: ListedRecording): string {
	const ended = endedAt?.replace('T', ' ').slice(0, 16);
	return ended ? `${ended} UTC · ${sessionGuid}` : String(sessionGuid);
}
