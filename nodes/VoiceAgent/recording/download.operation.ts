import type { FileFormat } from '../../shared/audioFormat';
import {
	AUDIO_HEAD_BYTES,
	encryptedFormat,
	recogniseAudio,
	unknownFormat,
} from '../../shared/audioFormat';
import type { Chunks } from '../../shared/chunks';
import { peek, unpeek } from '../../shared/chunks';
import { decrypt } from '../../shared/encryptedRecording';
import { VoiceAgentError } from '../../shared/errors';
import { canonicalSessionGuid, parseSessionGuid } from '../../shared/sessionGuid';
import { itemsAtOnce, outputExtension, outputField, recording } from '../fields';
import { operation } from '../operation';
import type { DownloadedFile } from '../transport';
import { download } from '../transport';
import { outputFormat, recordingItem } from './output';
import { recordingPasswords } from './passwords';
import { goneReasons, recordingPath } from './recordingPath';

type DecryptMode = 'automatic' | 'always' | 'never';

interface Content {
	chunks: Chunks;
	format: FileFormat;
	/** Whether the recording was encrypted by the service. */
	encrypted: boolean;
}

export const downloadRecording = operation({
	name: 'Download',
	value: 'download',
	action: 'Download a recording',
	description: 'Download a recording, decrypted where it is encrypted',
	fields: [
		recording,
		{
			displayName: 'Decrypt',
			name: 'decrypt',
			type: 'options',
			default: 'automatic',
			options: [
				{
					name: 'Always',
					value: 'always',
					description: 'Decrypt, and fail if the recording is not encrypted',
				},
				{
					name: 'Automatically',
					value: 'automatic',
					description: 'Decrypt if the recording is encrypted',
				},
				{
					name: 'Never',
					value: 'never',
					description: 'Keep the file as it is at the service (.enc if it is encrypted)',
				},
			],
			description: 'Whether to decrypt, with the password of the credential selected above',
		},
		outputField,
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			placeholder: 'Add option',
			options: [itemsAtOnce, outputExtension],
		},
	],
	async execute(values, itemIndex) {
		const sessionGuid = parseSessionGuid(values.recording);
		const passwords = values.decrypt === 'never' ? [] : await recordingPasswords(this, itemIndex);

		const item = await download(this, recordingPath(sessionGuid), goneReasons, async (file) => {
			const { chunks, format, encrypted } = await open(file, values.decrypt, passwords);
			const storing = recordingItem(this, itemIndex, values.binaryPropertyName, {
				chunks,
				baseName: canonicalSessionGuid(sessionGuid),
				format: outputFormat(format, values.options.outputExtension),
				sessionGuid,
				encrypted,
			});
			return await (file.lengthIsKnown ? storing : storing.catch(retryRefusedByTag));
		});
		return [item];
	},
});

/** Recognises by its first bytes what was downloaded, and decrypts it if it should be. */
async function open(
	file: DownloadedFile,
	mode: DecryptMode,
	passwords: readonly string[],
): Promise<Content> {
	const peeked = await peek(file.chunks, AUDIO_HEAD_BYTES);
	const audio = recogniseAudio(peeked.head);
	if (audio) {
		if (mode === 'always') throw new VoiceAgentError('notEncrypted');
		return { chunks: unpeek(peeked), format: audio, encrypted: false };
	}
	if (isNoRecording(peeked.head, file.contentType)) throw new VoiceAgentError('notARecording');
	if (mode === 'never') {
		return { chunks: unpeek(peeked), format: encryptedFormat, encrypted: true };
	}
	const { chunks } = await decrypt(unpeek(peeked), passwords);
	const decrypted = await peek(chunks, AUDIO_HEAD_BYTES);
	const format = recogniseAudio(decrypted.head) ?? unknownFormat;
	return { chunks: unpeek(decrypted), format, encrypted: true };
}

/**
 * An empty answer, or a page of text: random bytes, as an encrypted recording begins with, hardly ever look like 32
 * characters of text.
 */
function isNoRecording(head: Buffer, contentType: string): boolean {
	const isPage = /^(?:text\/html|application\/(?:[\w.-]+\+)?(?:json|xml))\b/i.test(contentType);
	return isPage || /^[\t\n\r\x20-\x7e]*$/.test(head.subarray(0, 32).toString('latin1'));
}

/** Without an announced length, a download that ended early looks to the tag like an altered file: worth another try. */
function retryRefusedByTag(error: unknown): never {
	throw error instanceof VoiceAgentError && error.reason === 'wrongPasswordOrAltered'
		? new VoiceAgentError(error.reason, { retryable: true })
		: error;
}
