import { VoiceAgentError } from '../../../errors';
import { untilEndOfAudio } from '../../../recordingFile/audioEnd';
import type { FileFormat } from '../../../recordingFile/audioFormat';
import {
	AUDIO_HEAD_BYTES,
	encryptedFormat,
	recognizeAudio,
	unknownFormat,
} from '../../../recordingFile/audioFormat';
import { type Chunks, peek, unpeek } from '../../../recordingFile/chunks';
import { type Decrypt, MIN_ENCRYPTED_BYTES } from '../../../recordingFile/encryptedRecording';
import { isTextPage } from '../../../recordingFile/textPage';
import type { DownloadedFile } from '../../../service/http/download';

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
		/** Whether it is known to be a whole recording. */
		verified: boolean;
		/** Which password decrypted it: 0 is the current one, 1 the first of the previous ones. */
		passwordIndex?: number;
	};
}

/**
 * Recognizes by its first bytes what was downloaded. Whatever is not recognized is taken for encrypted: only the tag can
 * tell.
 * @param mode whether to decrypt what is not recognized
 * @throws VoiceAgentError also while the chunks are read
 */
export async function openRecording(
	file: DownloadedFile,
	mode: 'automatic' | 'always' | 'never',
	decryptNext: Decrypt,
): Promise<Content> {
	const peeked = await peek(file.chunks, AUDIO_HEAD_BYTES);
	const { head } = peeked;
	// A page of text can begin like audio, but audio is no text.
	const isText = isTextPage(head);
	const audio = isText ? undefined : recognizeAudio(head);
	if (audio) {
		if (mode === 'always') throw new VoiceAgentError('notEncrypted');
		// Untouched means: what has arrived as a whole is kept, whether it is whole at the service or not.
		const isKept = mode === 'never' && file.announcedBytes > 0;
		const chunks = untilEndOfAudio(unpeek(peeked), (missing) => {
			if (!isKept) throw new VoiceAgentError('recordingIncomplete', { detail: missing });
		});
		return { chunks, format: audio, facts: { encrypted: false, decrypted: false, verified: true } };
	}
	if (isText || isPage(file.contentType)) throw new VoiceAgentError('notARecording');
	// Space that is not written to yet.
	if (head.every((byte) => byte === head[0])) throw new VoiceAgentError('recordingNotReady');
	if (mode === 'never') {
		if (head.length < MIN_ENCRYPTED_BYTES) throw new VoiceAgentError('notARecording');
		return {
			chunks: unpeek(peeked),
			format: encryptedFormat,
			facts: { encrypted: true, decrypted: false, verified: false },
		};
	}
	// The tag proves that the plaintext is complete: the service makes it when the recording has ended.
	const { chunks, passwordIndex } = await decryptNext(unpeek(peeked));
	const decrypted = await peek(chunks, AUDIO_HEAD_BYTES);
	return {
		chunks: unpeek(decrypted),
		format: recognizeAudio(decrypted.head) ?? unknownFormat,
		facts: { encrypted: false, decrypted: true, verified: true, passwordIndex },
	};
}

function isPage(contentType: string): boolean {
	return /^(?:multipart\/|text\/html|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/i.test(contentType);
}
