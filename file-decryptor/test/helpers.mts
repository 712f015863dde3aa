import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after } from 'node:test';

/** `npm test` runs in the folder of the package. */
export const packageFolder = process.cwd();
export const program = join(packageFolder, 'dist', 'file-decryptor.cjs');

/** A folder of its own for a test file, deleted at the end. */
export function temporaryFolder(parent = tmpdir()): string {
	const folder = mkdtempSync(join(parent, 'file-decryptor-test-'));
	after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/**
 * Encrypts as the service's specification says ("Encrypted file (.enc) layout", "Key derivation constants"), with Web
 * Crypto, and so without anything that the code under test uses.
 */
export async function encrypt(plaintext: Uint8Array, password: string): Promise<Buffer> {
	const salt = randomBytes(16);
	return await encryptWith(await deriveKey(password, salt, 310_000), salt, plaintext);
}

export async function deriveKey(
	password: string | Uint8Array,
	salt: Uint8Array,
	iterations: number,
): Promise<webcrypto.CryptoKey> {
	const bytes = typeof password === 'string' ? new TextEncoder().encode(password) : password;
	const material = await webcrypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveKey']);
	return await webcrypto.subtle.deriveKey(
		{ name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
		material,
		{ name: 'AES-GCM', length: 256 },
		true,
		['encrypt'],
	);
}

export async function encryptWith(
	key: webcrypto.CryptoKey,
	salt: Uint8Array,
	plaintext: Uint8Array,
): Promise<Buffer> {
	const nonce = randomBytes(12);
	const ciphertextAndTag = await webcrypto.subtle.encrypt(
		{ name: 'AES-GCM', iv: nonce, tagLength: 128 },
		key,
		plaintext,
	);
	return Buffer.concat([salt, nonce, Buffer.from(ciphertextAndTag)]);
}

/** Bytes that start like a WAV file; the shortest ones only as far as they go. */
export function wav(bytes: number): Buffer {
	const content = randomBytes(bytes);
	Buffer.from('RIFF\0\0\0\0WAVE').copy(content);
	return content;
}

/** Bytes that start like an Ogg file with Opus in it. */
export function opus(bytes: number): Buffer {
	const content = randomBytes(bytes);
	Buffer.from('OggS').copy(content);
	Buffer.from('OpusHead').copy(content, 28);
	return content;
}

/** Two MPEG frames (64 kbit/s, 16 kHz) and noise. */
export function mp3(bytes: number): Buffer {
	const content = randomBytes(bytes);
	const frameLength = (72_000 * 64) / 16_000;
	for (const start of [0, frameLength]) content.writeUInt32BE(0xfff38800, start);
	return content;
}

export interface Ended {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: Buffer;
	stderr: string;
}

export interface RunOptions {
	cwd?: string;
	env?: Record<string, string>;
	/** Standard input; without it, there is none. */
	input?: string | Uint8Array | readonly Uint8Array[];
	/** Arguments for Node itself. */
	nodeArguments?: string[];
	node?: string;
	uid?: number;
}

/** The environment without what would disturb: options of the test runner, passwords of whoever runs the tests. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
	const {
		NODE_OPTIONS: _options,
		NODE_TEST_CONTEXT: _context,
		FILE_DECRYPTOR_PASSWORD: _password,
		FILE_DECRYPTOR_PREVIOUS_PASSWORDS: _passwords,
		...environment
	} = process.env;
	return environment;
}

export function start(args: readonly string[], options: RunOptions = {}): ChildProcess {
	return spawn(
		options.node ?? process.execPath,
		[...(options.nodeArguments ?? []), program, ...args],
		{
			cwd: options.cwd,
			env: { ...cleanEnvironment(), ...options.env },
			stdio: ['pipe', 'pipe', 'pipe'],
			// Without a terminal of its own, so that it cannot ask the one who runs the tests.
			detached: true,
			...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
		},
	);
}

/** Runs the built program to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
	const child = start(args, options);
	const { input = '' } = options;
	child.stdin?.on('error', () => undefined);
	for (const piece of typeof input === 'string' || input instanceof Uint8Array ? [input] : input) {
		child.stdin?.write(piece);
	}
	child.stdin?.end();
	return await ended(child);
}

export async function ended(child: ChildProcess): Promise<Ended> {
	const stdout: Buffer[] = [];
	const stderr: Buffer[] = [];
	child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
	child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
	return await new Promise((resolvePromise, reject) => {
		child.on('error', reject);
		child.on('close', (code, signal) =>
			resolvePromise({
				code,
				signal,
				stdout: Buffer.concat(stdout),
				stderr: Buffer.concat(stderr).toString(),
			}),
		);
	});
}

export interface JsonLine {
	file: string;
	status: string;
	output: string | null;
	format: string | null;
	bytes: number | null;
	passwordIndex: number | null;
	sourceDeleted: boolean;
	seconds: number;
	error: { code: string; message: string; hint: string } | null;
}

export function jsonLines(stdout: Buffer): JsonLine[] {
	return stdout
		.toString()
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line) as JsonLine);
}

export function write(folder: string, name: string, content: string | Uint8Array): string {
	const path = join(folder, name);
	writeFileSync(path, content, { mode: 0o600 });
	return path;
}

/** Where published vectors are, beside the repository; they are not part of it. */
export const vectors = resolve(packageFolder, '../../shared/vectors');
