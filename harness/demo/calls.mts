/** The calls of the demo, and whether their recordings have arrived in the archive. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { Emulator, LedgerEntry } from '../../emulator/src/index.mts';
import { sha256 } from '../standIns/storedFiles.mts';

const CALL_SECONDS = 6;
const ARCHIVE_TIMEOUT_MS = 180_000;

export interface Archived {
	recording: LedgerEntry;
	/** Why this recording does not count as archived; `undefined` if it does. */
	problem?: string;
}

/** Places a call and waits up to a minute until its recording has left the service. */
export async function placeCall(emulator: Emulator, archive: string): Promise<Archived> {
	const { control } = emulator;
	const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: CALL_SECONDS });
	await control.completedCall(sessionGuid);
	const entry = () => control.recordings().find((one) => one.sessionGuid === sessionGuid);
	const deadline = Date.now() + ARCHIVE_TIMEOUT_MS;
	while (entry()?.state === 'stored' && Date.now() < deadline) {
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	const recording = entry();
	if (!recording) throw new Error(`The service has not recorded the call ${sessionGuid}.`);
	const files = (await readdir(archive)).filter((name) => name.includes(sessionGuid)).toSorted();
	const problem = await problemOf(recording, archive, files);
	if (problem !== undefined) console.log(`  archive | ${sessionGuid}: ${problem}`);
	return { recording, problem };
}

/**
 * Why a recording does not count as archived.
 *
 * @param files names of its files in the archive: the audio, and a metadata file beside it
 */
async function problemOf(
	recording: LedgerEntry,
	archive: string,
	files: readonly string[],
): Promise<string | undefined> {
	const [audio, ...others] = files.filter((name) => name.endsWith(`.${recording.format}`));
	if (audio === undefined) return 'not archived';
	if (others.length > 0) return 'archived more than once';
	const content = await readFile(join(archive, audio));
	if (sha256(content) !== recording.plainSha256) return 'the archived file differs';
	if (!files.includes(audio.replace(/\w+$/, 'json'))) return 'the metadata file is missing';
	if (recording.state !== 'deleted') return 'still at the service';
	return undefined;
}

export function report(archived: readonly Archived[], archive: string): void {
	const done = archived.filter(({ problem }) => problem === undefined).length;
	const folder = relative(process.cwd(), archive);
	console.log(`\n${done} of the ${archived.length} calls of this start are in ${folder}:`);
	for (const { recording, problem } of archived) {
		const { format, encrypted, plainBytes, plainSha256 } = recording;
		const kind = encrypted ? 'encrypted' : 'plain    ';
		const size = `${String(plainBytes).padStart(8)} bytes`;
		const result = problem ?? 'archived byte for byte, deleted from the service';
		console.log(`  ${format.padEnd(5)} ${kind} ${size}  SHA-256 ${plainSha256}  ${result}`);
	}
}
