/** The recording that most tests need: `call.enc`, with the password "secret". */
import assert from 'node:assert/strict';
import { wav } from './audio.mts';
import { encrypt } from './encryption.mts';
import { temporaryFolder, write } from './folder.mts';
import { run, type Ended } from './program.mts';

export const isWindows = process.platform === 'win32';
export const audio = wav(1000);
export const encrypted = await encrypt(audio, 'secret');

/** A folder with `call.enc`. */
export function folderWithCall(): string {
	const folder = temporaryFolder();
	write(folder, 'call.enc', encrypted);
	return folder;
}

/** Runs the program in a folder, with "secret" on standard input. */
export async function runIn(folder: string, ...args: string[]): Promise<Ended> {
	return await run(args, { cwd: folder, input: 'secret' });
}

/** Decrypts `call.enc` of a folder into `call.wav`. */
export async function decryptCall(folder: string, ...options: string[]): Promise<Ended> {
	return await runIn(folder, '-q', '-p-', '-e', 'wav', ...options, 'call.enc');
}

export function assertRefused({ code, stderr }: Ended, message: RegExp): void {
	assert.equal(code, 1, stderr);
	assert.match(stderr, message);
}
