/** The recordings of a file server in a process of its own. */
import { once } from 'node:events';

import { startProgram } from './measure.mts';

export interface RecordingSet {
	count: number;
	/** Of each recording, before it is encrypted. */
	bytes: number;
	encrypted: boolean;
}

export interface FileServer {
	url: string;
	/** The session GUIDs of a set, the first ones. */
	guids(set: number, count: number): string[];
	stop(): Promise<void>;
}

export function guidOf(set: number, number: number): string {
	const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
	return `${hex(set + 1, 8)}-0000-4000-8000-${hex(number, 12)}`;
}

export async function serve(sets: readonly RecordingSet[]): Promise<FileServer> {
	const { child, nextLine } = startProgram('fileServer.mts', JSON.stringify(sets));
	const ended = once(child, 'exit');
	const url = await nextLine();
	return {
		url,
		guids: (set, count) => Array.from({ length: count }, (_, number) => guidOf(set, number)),
		async stop() {
			child.kill();
			await ended;
		},
	};
}
