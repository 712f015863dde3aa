import type { Reason } from '../../errors';
import { VoiceAgentError } from '../../errors';
import type { EarlyEnd } from '../../recordingFile/audioEnd';
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
import { MIN_ENCRYPTED_BYTES, mayBeEncrypted } from '../../recordingFile/encryptedRecording';
import { isMarkup, isTextPage } from '../../recordingFile/textPage';
import type { Decrypt } from '../../recordingFile/tryPasswords';
import type { DownloadedFile } from '../../service/http/download';

/** What is stored of a recording. */
export interface Content {
	chunks: Chunks;
	format: FileFormat;
	/** Complete when the chunks have ended. */
	facts: {
		/** Whether the file is encrypted. */
		encrypted: boolean;
		/** Whether the service had encrypted it, and it was decrypted here. */
		decrypted: boolean;
		/** Which password decrypted it: 0 is the current one, 1 the first of the previous ones. */
		passwordIndex?: number;
		/** Set if a recording is output that ends early. */
		incomplete?: true;
		/** Why a recording is output as it is at the service. */
		reason?: Reason;
		message?: string;
	};
}

/** Recognizes by its first bytes what was downloaded, and decrypts it if `mode` asks for that. */
export async function openRecording(
	file: DownloadedFile,
	mode: 'automatic' | 'always' | 'never',
	decryptNext: Decrypt,
	outputsEarlyEnd: boolean,
): Promise<Content> {
	refusePartOrNothing(file);
	const peeked = await peek(file.chunks, AUDIO_HEAD_BYTES);
	const { head } = peeked;
	const audio = recognizeAudio(head);
	if (!audio) refuseWhatIsNoRecording(head, file.contentType);
	if (audio || !mayBeEncrypted(head)) {
		if (mode === 'always') throw new VoiceAgentError('notEncrypted');
		const content: Content = {
			chunks: untilEndOfAudio(unpeek(peeked), (end) => {
				refuseEarlyEnd(end, file, outputsEarlyEnd);
				content.facts.incomplete = true;
			}),
			format: audio ?? unknownFormat,
			facts: { encrypted: false, decrypted: false },
		};
		return content;
	}
	if (mode === 'never') {
		// Neither audio nor long enough to be encrypted.
		if (head.length < MIN_ENCRYPTED_BYTES) throw new VoiceAgentError('notARecording');
		return {
			chunks: unpeek(peeked),
			format: encryptedFormat,
			facts: { encrypted: true, decrypted: false },
		};
	}
	// The tag proves that the plaintext is complete: the service makes it when the recording has ended.
	const { chunks, passwordIndex } = await decryptNext(unpeek(peeked));
	const decrypted = await peek(chunks, AUDIO_HEAD_BYTES);
	const format = recognizeAudio(decrypted.head) ?? unknownFormat;
	return {
		chunks: unpeek(decrypted),
		format,
		facts: { encrypted: false, decrypted: true, passwordIndex },
	};
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
	if (isDeclaredPage(file.contentType) || isMarkup(head))
		throw new VoiceAgentError('notARecording');
	// Text may be all that there is of a recording, but only if the service says that it is not text.
	const isDeclaredAudio = /^(?:audio\/|application\/octet-stream)/i.test(file.contentType);
	if (isTextPage(head) && !(isDeclaredAudio && head.length > 0)) {
		throw new VoiceAgentError('notARecording');
	}
	const isLikeEncrypted = head.length >= MIN_ENCRYPTED_BYTES && mayBeEncrypted(head);
	const format = recognizeAudio(head) ?? (isLikeEncrypted ? encryptedFormat : unknownFormat);
	return {
		chunks: seenTwice(unpeek(peeked), file),
		format,
		facts: { encrypted: format === encryptedFormat, decrypted: false, reason, message },
	};
}

/** Without an announced length, a connection may have been cut, but hardly ever at the same byte twice. */
async function* seenTwice(
	chunks: Chunks,
	{ lengthIsKnown, earlyEnds }: DownloadedFile,
): AsyncGenerator<Uint8Array, void, undefined> {
	let bytes = 0;
	for await (const chunk of chunks) {
		bytes += chunk.length;
		yield chunk;
	}
	if (lengthIsKnown || earlyEnds.includes(bytes)) return;
	throw new VoiceAgentError('cutShort', { endedAtByte: bytes, retryable: true });
}

/**
 * If the length was announced, the file is incomplete at the service. If not, the connection may have been cut, but hardly
 * ever at the same byte twice.
 */
function refuseEarlyEnd({ bytes, missing }: EarlyEnd, file: DownloadedFile, isOutput: boolean) {
	const details = { detail: missing, endedAtByte: bytes };
	if (!file.lengthIsKnown && !file.earlyEnds.includes(bytes)) {
		throw new VoiceAgentError('cutShort', { ...details, retryable: true });
	}
	if (!isOutput) throw new VoiceAgentError('recordingIncomplete', details);
}

/** @throws VoiceAgentError if the answer says that there is no recording yet, or that this is a part of it */
function refusePartOrNothing({ status, isPart }: DownloadedFile): void {
	if (status === 202 || status === 204) throw new VoiceAgentError('recordingNotReady');
	if (isPart) throw new VoiceAgentError('truncated', { retryable: true });
}

/** @throws VoiceAgentError `notARecording` for a page, `recordingNotReady` for space that is not written to yet */
function refuseWhatIsNoRecording(head: Buffer, contentType: string): void {
	const isPage = isDeclaredPage(contentType) || /^multipart\//i.test(contentType);
	if (isPage || isTextPage(head)) throw new VoiceAgentError('notARecording');
	if (head.every((byte) => byte === 0)) throw new VoiceAgentError('recordingNotReady');
}

/** Whether an answer says that it is a page, or data about a recording. */
function isDeclaredPage(contentType: string): boolean {
	return /^(?:text\/html|application\/(?:[\w.-]+\+)?(?:json|xml))\b/i.test(contentType);
}
