import { VoiceAgentError } from '../../../errors';
import { type EndOfAudio, untilEndOfAudio } from '../../../recordingFile/audioEnd';
import { type PeekedAudio, peekAudio } from '../../../recordingFile/audioFormat';
import { type Chunks, unpeek } from '../../../recordingFile/chunks';
import { checkOnTheWay } from '../../../recordingFile/checkOnTheWay';
import { type Decrypt, MIN_ENCRYPTED_BYTES } from '../../../recordingFile/encryptedRecording';
import { encryptedFormat, type FileFormat, unknownFormat } from '../../../recordingFile/formats';
import type { DownloadedFile } from '../../../service/http/download';
import { asItLooks, type Looks, looksOf, refusedAsItLooks } from './looks';

/** Keep Encrypted: the file is kept as the service has it, also if it cannot be verified. */
export const KEEP_ENCRYPTED = 'never';

/** When to decrypt, as the user has chosen. */
export type DecryptMode = 'always' | 'automatic' | typeof KEEP_ENCRYPTED;

/** What is stored of a recording. */
export interface Content {
	chunks: Chunks;
	format: FileFormat;
	facts: Facts;
}

/** What is known about the stored file. Complete when its chunks have ended. */
export interface Facts {
	/**
	 * Whether the stored file is encrypted: its tag was checked, or it is taken for encrypted because
	 * it is not recognized.
	 */
	encrypted: boolean;
	/** Whether the service had encrypted it, and it was decrypted here. */
	decrypted: boolean;
	/**
	 * Whether this is known to be a whole recording: audio with its signature and its end, or an
	 * encrypted file whose tag was checked.
	 */
	verified: boolean;
	/** If it is not verified: why. */
	unverifiedReason?: string;
	/** Which password the tag accepted: 0 is the current one, 1 the first of the previous ones. */
	passwordIndex?: number;
	/** SHA-256 of the plain recording, if the stored file is encrypted and its tag was checked. */
	plainSha256?: string;
}

export interface OpenOptions {
	mode: DecryptMode;
	/** `undefined` without a password. */
	decryptNext?: Decrypt;
	/** Why a file that cannot be verified is kept as it is. Without this, it is refused. */
	keptBecause?: string;
}

/**
 * Recognizes by its first bytes what was downloaded. Whatever is not recognized may be encrypted:
 * with a password, only the tag can tell. What such a file looks like, and what the service calls
 * it, choose the error, and so whether it is downloaded again.
 *
 * Without a password, a file that looks like a page is refused, so that it is downloaded again
 * before anything is kept.
 *
 * @throws VoiceAgentError also while the chunks are read
 */
export async function openRecording(file: DownloadedFile, options: OpenOptions): Promise<Content> {
	const peeked = await peekAudio(file.chunks);
	if (peeked.format) return openPlain(file, peeked, peeked.format, options);
	const { head } = peeked;
	// A file of one repeated byte is disk space that the service has reserved and not yet written. An
	// encrypted file begins with random bytes.
	const isUnwritten = head.length > 0 && head.every((byte) => byte === head[0]);
	if (isUnwritten && options.keptBecause === undefined) {
		throw new VoiceAgentError('recordingNotReady');
	}
	// It is too short for a tag, so no mode keeps it.
	if (head.length < MIN_ENCRYPTED_BYTES) throw new VoiceAgentError('notARecording');
	if (options.keptBecause !== undefined) return keepUnverified(peeked, options.keptBecause);
	const looks = looksOf(file, head);
	if (!options.decryptNext) return withoutPassword(peeked, looks, options.mode);
	return await openEncrypted(peeked, looks, options.mode, options.decryptNext);
}

/**
 * A hint for a recording that is incomplete although its transfer was complete. Keep Encrypted
 * keeps such a file. If the transfer itself stopped early, no mode keeps what has arrived, and the
 * hint is not shown.
 */
const HOW_TO_KEEP = [
	"To keep such a file as the service has it, set 'Decrypt' of Download to 'Keep Encrypted'.",
	'It is then not verified,',
	"and Delete never deletes it unless its option 'Delete Unverified' is on.",
].join(' ');

function openPlain(
	file: DownloadedFile,
	peeked: PeekedAudio,
	format: FileFormat,
	{ mode, keptBecause }: OpenOptions,
): Content {
	if (mode === 'always') throw new VoiceAgentError('notEncrypted');
	const facts: Facts = { encrypted: false, decrypted: false, verified: true };
	const chunks = untilEndOfAudio(peeked, (end) => {
		const missing = missingAt(end, file);
		if (missing === undefined) return;
		if (keptBecause === undefined) {
			throw new VoiceAgentError('recordingIncomplete', { detail: missing, hint: HOW_TO_KEEP });
		}
		Object.assign(facts, unverified(`The recording is not complete: ${missing}`));
	});
	return { chunks, format, facts };
}

/**
 * What is missing of an audio file that has arrived; `undefined` if it, or the way in which it was
 * sent, shows that nothing is.
 */
function missingAt(
	end: EndOfAudio,
	{ announcedBytes, isEndMarked }: DownloadedFile,
): string | undefined {
	if (typeof end === 'object') return end.missing;
	if (end === 'whole') return undefined;
	// If fewer bytes have arrived than announced, Node.js has already ended the chunks in an error.
	if (announcedBytes !== undefined) return undefined;
	if (end === 'doubtful') return 'no length was announced, and no whole frame is at its end';
	// The format does not show its end. The transfer may.
	if (isEndMarked) return undefined;
	return 'no length was announced, and nothing in it shows its end';
}

async function openEncrypted(
	peeked: PeekedAudio,
	looks: Looks,
	mode: DecryptMode,
	decryptNext: Decrypt,
): Promise<Content> {
	if (mode === KEEP_ENCRYPTED) {
		const facts: Facts = { encrypted: true, decrypted: false, verified: true };
		const onVerified = (plainSha256: string) => void Object.assign(facts, { plainSha256 });
		const checked = await checkOnTheWay(unpeek(peeked), decryptNext, onVerified);
		const { chunks, passwordIndex } = checked;
		facts.passwordIndex = passwordIndex;
		return { chunks: refusedAsItLooks(chunks, looks), format: encryptedFormat, facts };
	}
	// The tag proves that the plaintext is complete: the service makes it when the recording has
	// ended.
	const { chunks, passwordIndex } = await decryptNext(unpeek(peeked));
	const decrypted = await peekAudio(refusedAsItLooks(chunks, looks));
	return {
		chunks: unpeek(decrypted),
		format: decrypted.format ?? unknownFormat,
		facts: { encrypted: false, decrypted: true, verified: true, passwordIndex },
	};
}

/**
 * Without a password, nothing can check the tag. Only Keep Encrypted keeps such a file, and not if
 * it looks like a page: the next download may bring the recording.
 */
function withoutPassword(peeked: PeekedAudio, looks: Looks, mode: DecryptMode): Content {
	const mayBePage = looks.isText() || looks.isPage;
	if (mode === KEEP_ENCRYPTED && !mayBePage) {
		// Another download would show nothing more about it, so it is kept at once.
		return keepUnverified(peeked, 'No password is available to check its tag');
	}
	throw asItLooks(new VoiceAgentError('passwordMissing'), looks);
}

function keepUnverified(peeked: PeekedAudio, reason: string): Content {
	const facts = { encrypted: true, decrypted: false, ...unverified(reason) };
	return { chunks: unpeek(peeked), format: encryptedFormat, facts };
}

function unverified(unverifiedReason: string): Pick<Facts, 'verified' | 'unverifiedReason'> {
	return { verified: false, unverifiedReason };
}
