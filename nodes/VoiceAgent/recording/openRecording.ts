import type { Reason } from '../../errors';
import { VoiceAgentError } from '../../errors';
import { untilEndOfAudio } from '../../recordingFile/audioEnd';
import type { FileFormat } from '../../recordingFile/audioFormat';
import {
	AUDIO_HEAD_BYTES,
	encryptedFormat,
	recognizeAudio,
	unknownFormat,
} from '../../recordingFile/audioFormat';
import type { Chunks } from '../../recordingFile/chunks';
import { peek, unpeek } from '../../recordingFile/chunks';
import { MIN_ENCRYPTED_BYTES } from '../../recordingFile/encryptedRecording';
import { isTextPage } from '../../recordingFile/textPage';
import type { Decrypt } from '../../recordingFile/tryPasswords';
import type { DownloadedFile } from '../../service/http/download';

/** What is stored of a recording. */
export interface Content {
	chunks: Chunks;
	format: FileFormat;
	/** Complete when the chunks have ended. */
	facts: {
		/** Whether the file is taken for encrypted, because it is not recognized. */
		encrypted: boolean;
		/** Whether the service had encrypted it, and it was decrypted here. */
		decrypted: boolean;
		/** Which password decrypted it: 0 is the current one, 1 the first of the previous ones. */
		passwordIndex?: number;
		/** Why a recording is output as it is at the service. */
		reason?: Reason;
		message?: string;
	};
}

/**
 * Recognizes by its first bytes what was downloaded. Whatever is not recognized is taken for encrypted: only the tag can
 * tell.
 *
 * @param mode whether to decrypt what is not recognized
 * @throws VoiceAgentError also while the chunks are read
 */
export async function openRecording(
	file: DownloadedFile,
	mode: 'automatic' | 'always' | 'never',
	decryptNext: Decrypt,
): Promise<Content> {
	refusePartOrNothing(file);
	const peeked = await peek(file.chunks, AUDIO_HEAD_BYTES);
	const { head } = peeked;
	const audio = recognizeAudio(head);
	if (audio) {
		if (mode === 'always') throw new VoiceAgentError('notEncrypted');
		return audioOf(file, unpeek(peeked), audio);
	}
	refuseWhatIsNoRecording(head, file.contentType);
	if (mode === 'never') {
		refuseTooShort(head);
		return {
			chunks: unpeek(peeked),
			format: encryptedFormat,
			facts: { encrypted: true, decrypted: false },
		};
	}
	// The tag proves that the plaintext is complete: the service makes it when the recording has ended.
	const { chunks, passwordIndex } = await decryptNext(unpeek(peeked));
	const decrypted = await peek(chunks, AUDIO_HEAD_BYTES);
	return {
		chunks: unpeek(decrypted),
		format: recognizeAudio(decrypted.head) ?? unknownFormat,
		facts: { encrypted: false, decrypted: true, passwordIndex },
	};
}

function audioOf(file: DownloadedFile, chunks: Chunks, format: FileFormat): Content {
	const checked = untilEndOfAudio(chunks, ({ bytes, missing }) => {
		const end = { detail: missing, endedAtByte: bytes };
		refuseCut(file, end);
		// All bytes have arrived, so the file is incomplete at the service.
		throw new VoiceAgentError('recordingIncomplete', end);
	});
	return { chunks: checked, format, facts: { encrypted: false, decrypted: false } };
}

/** The reasons that lie in the recording as the service has it, or in the password. */
const NOT_OPENED: readonly Reason[] = [
	'notARecording',
	'notEncrypted',
	'passwordMissing',
	'recordingIncomplete',
	'recordingNotReady',
	'wrongPasswordOrAltered',
];

/** Whether an error may say that a recording is there, but cannot be decrypted or recognized. */
export function isNotOpened(error: unknown): error is VoiceAgentError {
	return error instanceof VoiceAgentError && NOT_OPENED.includes(error.reason);
}

/**
 * A recording as it is at the service, after it could not be opened.
 * @throws VoiceAgentError if the answer is not that of a recording after all
 */
export async function untouchedRecording(
	file: DownloadedFile,
	{ reason, message }: VoiceAgentError,
): Promise<Content> {
	refusePartOrNothing(file);
	const peeked = await peek(file.chunks, AUDIO_HEAD_BYTES);
	const { head } = peeked;
	refuseWhatIsNoRecording(head, file.contentType);
	const audio = recognizeAudio(head);
	if (!audio) refuseTooShort(head);
	const format = audio ?? encryptedFormat;
	return {
		chunks: seenTwice(unpeek(peeked), file),
		format,
		facts: { encrypted: format === encryptedFormat, decrypted: false, reason, message },
	};
}

async function* seenTwice(
	chunks: Chunks,
	file: DownloadedFile,
): AsyncGenerator<Uint8Array, void, undefined> {
	let bytes = 0;
	for await (const chunk of chunks) {
		bytes += chunk.length;
		yield chunk;
	}
	refuseCut(file, { endedAtByte: bytes });
}

/** Without an announced length, the connection may have been cut, but hardly ever at the same byte twice. */
function refuseCut(
	{ lengthIsKnown, earlyEnds }: DownloadedFile,
	end: { endedAtByte: number; detail?: string },
): void {
	if (lengthIsKnown || earlyEnds.includes(end.endedAtByte)) return;
	throw new VoiceAgentError('cutShort', { ...end, retryable: true });
}

/** @throws VoiceAgentError if the answer says that there is no recording yet, or that this is a part of it */
function refusePartOrNothing({ status, isPart }: DownloadedFile): void {
	if (status === 202 || status === 204) throw new VoiceAgentError('recordingNotReady');
	if (isPart) throw new VoiceAgentError('truncated', { retryable: true });
}

/** @throws VoiceAgentError `notARecording` for a page, `recordingNotReady` for space that is not written to yet */
function refuseWhatIsNoRecording(head: Buffer, contentType: string): void {
	const isPage = /^(?:multipart\/|text\/html|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/i.test(
		contentType,
	);
	if (isPage || isTextPage(head)) throw new VoiceAgentError('notARecording');
	if (head.every((byte) => byte === 0)) throw new VoiceAgentError('recordingNotReady');
}

function refuseTooShort(head: Buffer): void {
	if (head.length < MIN_ENCRYPTED_BYTES) throw new VoiceAgentError('notARecording');
}
