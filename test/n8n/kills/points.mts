/** Where in an archive workflow n8n is killed, and how an execution is brought there. */
import { execFileSync } from 'node:child_process';
import { open, readdir, readFile, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import type { Workflow } from '../../../harness/n8n/n8n.mts';
import type { Stack } from '../../../harness/stack.mts';
import type { Archive } from '../../../harness/standIns/archives.mts';
import { until } from '../../../harness/until.mts';
import type { Holds } from './holds.mts';

const DOWNLOAD = 'Download recording';

export interface Scene {
	holds: Holds;
	stack: Stack;
	archive: Archive;
	/** Where n8n keeps files. */
	storage: string;
	/** The service sends the webhook. */
	callEnds(sessionGuid: string): Promise<void>;
	/** Pipes that an execution reads from. To be closed when n8n is dead. */
	open: FileHandle[];
}

export interface Point {
	name: string;
	/** Whether the service has deleted the recording by then. */
	isDeleted?: true;
	/** Whether the archive has a file then that is cut. */
	leavesCutFile?: true;
	/** Size of the recording; a short one by default. */
	sizeBytes?: number;
	/** Starts an execution, and waits until it is there. */
	reach(scene: Scene, sessionGuid: string): Promise<void>;
}

/** All points of a workflow, in their order. */
export function pointsOf(workflow: Workflow): Point[] {
	const path = mainPath(workflow);
	const steps = path.map(
		(node): Point => ({
			name: `after "${node}"`,
			...(node === 'Delete recording from service' && { isDeleted: true }),
			async reach({ holds, callEnds }, sessionGuid) {
				holds.order(sessionGuid, node);
				await callEnds(sessionGuid);
				await holds.reached(sessionGuid);
			},
		}),
	);
	const [, store = ''] = path.slice(path.indexOf(DOWNLOAD));
	const isWrittenInPlace = /folder|SFTP/.test(store);
	return [
		...steps,
		...(isWrittenInPlace ? [writing('the recording', false), writing('its metadata', true)] : []),
		...(store.includes('folder') ? [] : [unanswered]),
		inDownload,
		inDelete,
		whileWaiting,
	];
}

/** From the webhook to the last node but one, along the first outputs. */
function mainPath({ connections }: Workflow, from = 'When a call ends'): string[] {
	const all = connections as Record<string, { main: Array<Array<{ node: string }>> } | undefined>;
	const next = all[from]?.main[0]?.[0]?.node;
	return next === undefined ? [] : [from, ...mainPath({ connections } as Workflow, next)];
}

/** The service lists the recording, but cannot send it yet. */
const whileWaiting: Point = {
	name: 'while the download waits',
	async reach({ stack, callEnds }, sessionGuid) {
		const { control } = stack.emulator;
		control.addFault({
			match: { endpoint: 'downloadRecording', sessionGuid },
			times: 'always',
			fault: { kind: 'status', status: 404 },
		});
		await callEnds(sessionGuid);
		await until(
			() =>
				control
					.requests()
					.filter(({ path }) => decodeURIComponent(path).endsWith(`/${sessionGuid}`))[1],
		);
	},
};

/**
 * The service sends the beginning of the recording and falls silent. n8n has stored a part of it by
 * then, because Download passes it on in blocks of 1 MiB.
 */
const inDownload: Point = {
	name: 'within the download',
	sizeBytes: 4_000_000,
	async reach({ stack, storage, callEnds }, sessionGuid) {
		stack.emulator.control.addFault({
			match: { endpoint: 'downloadRecording', sessionGuid },
			times: 'always',
			fault: { kind: 'silent', afterBytes: 3_000_000 },
		});
		const partial = async () =>
			(await filesBelow(storage)).filter((file) => file.includes('.tmp.'));
		const before = await partial();
		await callEnds(sessionGuid);
		await until(async () => {
			const [file] = (await partial()).filter((one) => !before.includes(one));
			return file && (await stat(file)).size > 0;
		});
	},
};

/** The service deletes the recording, and never says so. */
const inDelete: Point = {
	name: 'within the delete',
	isDeleted: true,
	async reach({ stack, callEnds }, sessionGuid) {
		stack.emulator.control.addFault({
			match: { endpoint: 'deleteRecording', sessionGuid },
			carryOut: true,
			times: 'always',
			fault: { kind: 'silent' },
		});
		await callEnds(sessionGuid);
		await until(() => stack.ledger(sessionGuid).state === 'deleted');
	},
};

/** The archive has stored the recording, and never says so. */
const unanswered: Point = {
	name: 'within the upload',
	async reach({ archive, callEnds }, sessionGuid) {
		await archive.spoil('silence', sessionGuid);
		await callEnds(sessionGuid);
		await until(async () => (await filesOf(archive, sessionGuid)).length > 0);
	},
};

/** n8n's own copy of the file, from which it writes, is a pipe that ends nowhere. */
const writing = (what: string, isMetadata: boolean): Point => ({
	name: `within the write of ${what}`,
	leavesCutFile: true,
	async reach({ holds, archive, storage, callEnds, open: pipes }, sessionGuid) {
		holds.order(sessionGuid, DOWNLOAD);
		await callEnds(sessionGuid);
		const executionId = await holds.reached(sessionGuid);
		const stored = (await filesBelow(storage)).filter(
			(file) => file.includes(`/executions/${executionId}/`) && !file.endsWith('.metadata'),
		);
		for (const file of stored) {
			const content = await readFile(file);
			if ((content[0] === '{'.charCodeAt(0)) !== isMetadata) continue;
			await rm(file);
			execFileSync('mkfifo', [file]);
			// For reading too: opened only for writing, it would wait for its reader.
			const pipe = await open(file, 'r+');
			pipes.push(pipe);
			await pipe.write(content.subarray(0, Math.floor(content.length / 2)));
		}
		holds.release(sessionGuid);
		await until(async () => {
			const files = await filesOf(archive, sessionGuid);
			return files.find(({ name }) => name.endsWith('.json') === isMetadata)?.content.length;
		});
	},
});

export async function filesOf(archive: Archive, sessionGuid: string) {
	return (await archive.files()).filter(({ name }) => name.includes(sessionGuid));
}

async function filesBelow(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
	return entries
		.filter((entry) => !entry.isDirectory())
		.map((entry) => join(entry.parentPath, entry.name));
}
