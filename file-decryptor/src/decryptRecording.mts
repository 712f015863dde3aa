import {
	AUDIO_HEAD_BYTES,
	peekAudio,
	recognizeAudio,
} from '../../nodes/recordingFile/audioFormat.ts';
import { unpeek, type Chunks } from '../../nodes/recordingFile/chunks.ts';
import { MIN_ENCRYPTED_BYTES } from '../../nodes/recordingFile/encryptedRecording.ts';
import { tryPasswords } from '../../nodes/recordingFile/tryPasswords.ts';
import type { FileFormat } from '../../nodes/recordingFile/formats.ts';
import { isTextPage } from '../../nodes/recordingFile/textPage.ts';
import { VoiceAgentError } from '../../nodes/errors.ts';
import { Refusal } from './refusal.mts';
import { release } from './release.mts';
import { count, formatBytes } from './text.mts';

/** NIST SP 800-38D: AES-GCM encrypts at most 2^39 - 256 bits under one nonce. */
const MAX_ENCRYPTED_BYTES = MIN_ENCRYPTED_BYTES + 2 ** 36 - 32;

/** Where the plaintext goes. It is unverified until `decryptTo` returns. */
export interface Sink {
	/** Called once, before the first byte. `format` is what the first bytes look like. */
	start(format: FileFormat | undefined): Promise<void>;
	/** The memory of the chunk is used again when this has ended. */
	write(chunk: Uint8Array): Promise<void>;
	/** Throws away the plaintext so far: the next attempt, with another password, starts again. */
	reset(): Promise<void>;
}

export interface Decrypted {
	/** Size of the plaintext. */
	bytes: number;
	format: FileFormat | undefined;
	/** Which of the passwords opened it. */
	passwordIndex: number;
}

/** Reads the encrypted file from its start. It is called once for each password that is tried. */
export type ReadFromStart = () => Chunks;

/** Begins some work when its turn has come. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** For work that waits for nothing. */
export const atOnce: InTurn = async (work) => await work();

/** @throws Refusal `notEncrypted` if the size alone shows it */
export function refuseImpossibleSize(size: number): void {
	if (size < MIN_ENCRYPTED_BYTES) throw tooShort(size);
	if (size <= MAX_ENCRYPTED_BYTES) return;
	const { reason, message } = new VoiceAgentError('notEncrypted');
	throw new Refusal(reason, message, `It has ${formatBytes(size)}, and AES-GCM ends at 68.7 GB.`);
}

/**
 * Decrypts with the password that fits. When this returns, the tag has been verified. When it
 * throws, everything that `sink` was given must be thrown away.
 *
 * @param inTurn begins to decipher, once the key is derived
 * @throws Refusal `wrongPasswordOrAltered` if no password fits; `notEncrypted`; whatever reading or
 * `sink` throws
 */
export async function decryptTo(
	sink: Sink,
	readFromStart: ReadFromStart,
	passwords: readonly string[],
	inTurn: InTurn,
): Promise<Decrypted> {
	let head: Buffer = Buffer.alloc(0);
	try {
		return await tryPasswords(passwords, async (decryptNext) => {
			const source = watched(readFromStart(), (first) => (head = first));
			const { chunks, passwordIndex } = await decryptNext(source);
			try {
				return { ...(await inTurn(() => pour(chunks, sink))), passwordIndex };
			} catch (error) {
				if (isRefusedByTag(error)) await sink.reset();
				throw error;
			}
		});
	} catch (error) {
		throw isRefusedByTag(error) ? refusedByTag(passwords.length, head) : error;
	}
}

/** Decrypts into nothing, to see whether the recording is intact. */
export async function verify(
	readFromStart: ReadFromStart,
	passwords: readonly string[],
): Promise<Decrypted> {
	const nowhere: Sink = {
		start: async () => undefined,
		write: async () => undefined,
		reset: async () => undefined,
	};
	return await decryptTo(nowhere, readFromStart, passwords, atOnce);
}

async function pour(chunks: Chunks, sink: Sink): Promise<Omit<Decrypted, 'passwordIndex'>> {
	const peeked = await peekAudio(chunks);
	const { format } = peeked;
	await sink.start(format);
	let bytes = 0;
	// Writing goes on while the next piece is read and deciphered.
	let writing: Promise<void> = Promise.resolve();
	try {
		for await (const chunk of unpeek(peeked)) {
			bytes += chunk.length;
			await writing;
			writing = sink.write(chunk).then(() => release(chunk));
			// A failure is thrown by the await above or below, not before.
			writing.catch(() => undefined);
		}
	} finally {
		await writing;
	}
	return { bytes, format };
}

/** Gives `onFirst` a copy of the first piece: the reader may change the piece itself. */
async function* watched(
	chunks: Chunks,
	onFirst: (first: Buffer) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
	let isFirst = true;
	for await (const chunk of chunks) {
		if (isFirst) onFirst(Buffer.from(chunk.subarray(0, AUDIO_HEAD_BYTES)));
		isFirst = false;
		yield chunk;
	}
}

function isRefusedByTag(error: unknown): boolean {
	return error instanceof VoiceAgentError && error.reason === 'wrongPasswordOrAltered';
}

/** The tag has already refused the file. Its first bytes only decide what the user is told. */
function refusedByTag(passwords: number, head: Buffer): Refusal {
	// A pipe may begin with a few bytes, which show nothing.
	if (head.length >= MIN_ENCRYPTED_BYTES && isTextPage(head)) {
		const { reason, message } = new VoiceAgentError('notEncrypted');
		const hint =
			'It is text: an error page that was saved as a recording, or a recording in Base64 or hex. ' +
			'Download it again.';
		return new Refusal(reason, message, hint);
	}
	return noPasswordFits(passwords, recognizeAudio(head));
}

function noPasswordFits(passwords: number, looksLike: FileFormat | undefined): Refusal {
	const hints = [
		passwords > 1
			? `None of the ${passwords} passwords opens it.`
			: 'Check the password: letter case, spaces.',
		'If it was changed since the call, give the former one with --previous-password-file.',
		'If the password is right, the file is damaged: download it again.',
	];
	if (looksLike) {
		hints.unshift(
			`It starts like ${looksLike.format} audio, so it may not be encrypted at all: ` +
				'try to play it.',
		);
	}
	const { reason, message } = new VoiceAgentError('wrongPasswordOrAltered');
	return new Refusal(reason, message, hints.join(' '));
}

function tooShort(size: number): Refusal {
	const { reason, message } = new VoiceAgentError('notEncrypted');
	const hint =
		size === 0
			? 'It is empty: the download may have failed.'
			: `It has ${count(size, 'byte')}, and an encrypted recording has at least ` +
				`${MIN_ENCRYPTED_BYTES}: the download may be incomplete.`;
	return new Refusal(reason, message, hint);
}
