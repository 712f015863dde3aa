/** The recordings of a file server in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

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
	const program = join(import.meta.dirname, 'fileServer.mts');
	const server = spawn(process.execPath, [program, JSON.stringify(sets)], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const ended = once(server, 'exit');
	const url = await Promise.race([
		once(createInterface({ input: server.stdout }), 'line').then(([line]) => String(line)),
		ended.then(() => {
			throw new Error('The file server has ended.');
		}),
	]);
	return {
		url,
		guids: (set, count) => Array.from({ length: count }, (_, number) => guidOf(set, number)),
		async stop() {
			server.kill();
			await ended;
		},
	};
}
