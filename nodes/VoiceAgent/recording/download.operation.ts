import { VoiceAgentError } from '../../errors';
import { operation } from '../../fields/operation';
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
import { decrypt, MIN_ENCRYPTED_BYTES } from '../../recordingFile/encryptedRecording';
import { isTextPage } from '../../recordingFile/textPage';
import type { DownloadedFile } from '../../service/download';
import { download } from '../../service/download';
import { recordingPasswords } from '../../service/recordingPasswords';
import { goneReasons, recordingPath } from '../../service/recordingPath';
import { canonicalSessionGuid, parseSessionGuid } from '../../service/sessionGuid';
import { waitForRecording } from './availability';
import { recordingItem } from './output';
import {
	includeMd5,
	itemsAtOnce,
	outputExtension,
	outputField,
	outputFileName,
	recording,
} from './recordingFields';

const DEFAULT_MAX_MEGABYTES = 4096;
const DEFAULT_MAX_SECONDS = 3600;

export const downloadRecording = operation({
	name: 'Download',
	value: 'download',
	action: 'Download a recording',
	description: 'Download a recording, decrypted where it is encrypted',
	credentials: [
		{ name: 'voiceAgentApi' },
		{ name: 'voiceAgentRecordingPasswordApi', hide: { decrypt: ['never'] } },
	],
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
			options: [
				includeMd5,
				itemsAtOnce,
				{
					displayName: 'Max Duration (Seconds)',
					name: 'maxDuration',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: DEFAULT_MAX_SECONDS,
					description: 'Give up a download that takes longer, attempts included. 0 means no limit.',
				},
				{
					displayName: 'Max Size (MB)',
					name: 'maxSize',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: DEFAULT_MAX_MEGABYTES,
					description:
						'Refuse a file that is larger. 0 means no limit. Where n8n keeps files in memory or in its database (the default in queue mode), it holds the whole file in memory.',
				},
				outputExtension,
				outputFileName,
				{
					displayName: 'Wait Until Available (Seconds)',
					name: 'waitUntilAvailable',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 60,
					description:
						'How long to try again while the service has no recording yet, with growing pauses. Without this option, a missing recording fails at once.',
				},
			],
		},
	],
	async execute({ options, ...values }, itemIndex) {
		const sessionGuid = parseSessionGuid(values.recording);
		const passwords = values.decrypt === 'never' ? [] : await recordingPasswords(this, itemIndex);
		const { maxDuration = DEFAULT_MAX_SECONDS, maxSize = DEFAULT_MAX_MEGABYTES } = options;
		const waitMs = (options.waitUntilAvailable ?? 0) * 1000;
		const downloadOptions = {
			itemIndex,
			statusReasons: {
				...goneReasons,
				409: 'recordingNotReady',
				425: 'recordingNotReady',
			} as const,
			// 0 means no limit.
			maxBytes: (maxSize || Infinity) * 1024 * 1024,
			deadlineMs: Date.now() + waitMs + (maxDuration || Infinity) * 1000,
			wait: waitForRecording(this, itemIndex, sessionGuid, waitMs),
		};

		const path = recordingPath(sessionGuid);
		const item = await download(this, path, downloadOptions, async (file) => {
			const { chunks, format, facts } = await open(file, values.decrypt, passwords);
			const baseName = canonicalSessionGuid(sessionGuid);
			const output = { chunks, format, baseName, sessionGuid, facts };
			return await recordingItem(this, itemIndex, values.binaryPropertyName, output, options);
		});
		return [item];
	},
});

interface Content {
	chunks: Chunks;
	format: FileFormat;
	facts: {
		/** Whether the service had encrypted the recording. */
		encrypted: boolean;
		/** Which password decrypted it: 0 is the current one, 1 the first of the previous ones. */
		passwordIndex?: number;
	};
}

/** Recognizes by its first bytes what was downloaded, and decrypts it if `mode` asks for that. */
async function open(
	file: DownloadedFile,
	mode: 'automatic' | 'always' | 'never',
	passwords: readonly string[],
): Promise<Content> {
	if (file.status === 202 || file.status === 204) throw new VoiceAgentError('recordingNotReady');
	if (file.status === 206) throw new VoiceAgentError('truncated', { retryable: true });
	const peeked = await peek(file.chunks, AUDIO_HEAD_BYTES);
	const audio = recognizeAudio(peeked.head);
	if (audio) {
		if (mode === 'always') throw new VoiceAgentError('notEncrypted');
		const content = unpeek(peeked);
		const chunks = file.lengthIsKnown ? content : untilEndOfAudio(content, file.earlyEnds);
		return { chunks, format: audio, facts: { encrypted: false } };
	}
	if (isPage(peeked.head, file.contentType)) throw new VoiceAgentError('notARecording');
	if (mode === 'never') {
		// Neither audio nor long enough to be encrypted.
		if (peeked.head.length < MIN_ENCRYPTED_BYTES) throw new VoiceAgentError('notARecording');
		return { chunks: unpeek(peeked), format: encryptedFormat, facts: { encrypted: true } };
	}
	const { chunks, passwordIndex } = await decrypt(unpeek(peeked), passwords);
	const decrypted = await peek(chunks, AUDIO_HEAD_BYTES);
	const format = recognizeAudio(decrypted.head) ?? unknownFormat;
	return { chunks: unpeek(decrypted), format, facts: { encrypted: true, passwordIndex } };
}

/** Whether an answer says that it is a page, or begins like one. */
function isPage(head: Buffer, contentType: string): boolean {
	return (
		/^(?:text\/html|application\/(?:[\w.-]+\+)?(?:json|xml))\b/i.test(contentType) ||
		isTextPage(head)
	);
}
