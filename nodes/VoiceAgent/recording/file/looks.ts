import { VoiceAgentError } from '../../../errors';
import { isTextPage, TEXT_HEAD_BYTES } from '../../../recordingFile/textPage';
import { isUnproven } from '../../../recordingFile/tryPasswords';
import type { DownloadedFile } from '../../../service/http/download';

/** What a file looks like that is not recognized as audio. */
export interface Looks {
	/** Whether its first bytes are text. To find out takes longer than to decipher a short file. */
	isText(): boolean;
	/** Whether the service calls it a page. */
	isPage: boolean;
	/** Whether it may be cut, so that another download may help. */
	mayBeCut: boolean;
}

export function looksOf({ contentType, announcedBytes }: DownloadedFile, head: Buffer): Looks {
	// A copy, because the memory of the file belongs to its reader.
	const start = Buffer.from(head.subarray(0, TEXT_HEAD_BYTES));
	return {
		isText: () => isTextPage(start),
		isPage: PAGE_TYPE.test(contentType),
		mayBeCut: announcedBytes === undefined,
	};
}

const PAGE_TYPE = /^(?:multipart\/|text\/html|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/i;

/**
 * The error about a file that no tag has proven. If the file may be a page of a proxy instead, the
 * error has another reason, which also decides whether the file is downloaded again.
 */
export function asItLooks(error: VoiceAgentError, looks: Looks): VoiceAgentError {
	if (!isUnproven(error)) return error;
	const isText = looks.isText();
	if (!isText && !looks.isPage) return error;
	if (isText) return new VoiceAgentError('notARecording');
	// Its bytes may well be those of an encrypted recording, whatever the service calls it.
	return new VoiceAgentError('notARecording', {
		hint: 'If it is an encrypted recording, the password is wrong, or the file was altered.',
		retryable: looks.mayBeCut,
	});
}

/** The same chunks. If the tag refuses them, the error says what the file looks like. */
export async function* refusedAsItLooks<T>(
	chunks: AsyncGenerator<T, void, undefined>,
	looks: Looks,
): AsyncGenerator<T, void, undefined> {
	try {
		yield* chunks;
	} catch (error) {
		throw error instanceof VoiceAgentError ? asItLooks(error, looks) : error;
	}
}
