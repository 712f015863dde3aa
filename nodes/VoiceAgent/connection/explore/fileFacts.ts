import { parseJson } from '../../../data/json';
import { AUDIO_HEAD_BYTES, recognizeAudio } from '../../../recordingFile/audioFormat';
import { peek } from '../../../recordingFile/chunks';
import { isWebPage, limitedBody, type Answer } from '../../../service/http/answer';
import { passwordOpening } from '../../../recordingFile/tryPasswords';

/** What the first bytes of a file and its headers show. */
export interface FileFacts {
	/** `opus`, `mp3`, …, `enc` for what a password opens, `unknown` for anything else. */
	format: string;
	/** Whether a password of the credential opens it; `undefined` if it is not known. */
	isOpened?: boolean;
	/** As announced; `undefined` if no length is. */
	bytes?: number;
}

/**
 * Reads as many bytes as a format needs to be recognized, and then ends the download.
 *
 * @returns a text if JSON came in place of a file, such as a refusal with the status of a success
 */
export async function readHead(
	answer: Answer,
	passwords: readonly string[],
	deadlineMs: number,
): Promise<FileFacts | string> {
	const length = answer.header('content-length');
	const bytes = length === undefined ? {} : { bytes: Number(length) };
	const { head, close } = await peek(
		limitedBody(answer, { maxBytes: Infinity, deadlineMs }),
		AUDIO_HEAD_BYTES,
	);
	await close();
	const audio = recognizeAudio(head);
	if (audio) return { format: audio.format, ...bytes };
	const text = new TextDecoder().decode(head);
	if (jsonIn(text) !== undefined) return text;
	const opened = await passwordOpening(head, passwords);
	if (opened !== undefined) return { format: 'enc', isOpened: true, ...bytes };
	return { format: looksRandom(head) ? 'enc' : 'unknown', isOpened: false, ...bytes };
}

/** The JSON in a text; `undefined` if it is none. */
export function jsonIn(text: string): unknown {
	try {
		return text.trim() === '' ? undefined : parseJson(text);
	} catch {
		return undefined;
	}
}

/**
 * Whether bytes look encrypted: all values occur, none much more often than others. A text, a page
 * or an empty file does not.
 */
function looksRandom(head: Buffer): boolean {
	if (head.length < 2048 || isWebPage(head.toString('latin1'))) return false;
	const counts = new Array<number>(256).fill(0);
	for (const byte of head) counts[byte] = (counts[byte] ?? 0) + 1;
	const mean = head.length / 256;
	return counts.every((count) => count > 0 && count < 4 * mean);
}
