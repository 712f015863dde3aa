import { VoiceAgentError } from '../../errors';
import { operation } from '../../fields/operation';
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
import { isTextPage } from '../../recordingFile/textPage';
import type { Decrypt } from '../../recordingFile/tryPasswords';
import { tryPasswords } from '../../recordingFile/tryPasswords';
import type { DownloadedFile } from '../../service/download';
import { download } from '../../service/download';
import { recordingPasswords } from '../../service/recordingPasswords';
import { goneReasons, recordingPath } from '../../service/recordingPath';
import { canonicalSessionGuid, parseSessionGuid } from '../../service/sessionGuid';
import { waitForRecording } from './availability';
import { metadataItem } from './metadata';
import { forgetRecording, isRepeated, skipRepeated } from './repeated';
import { aboutRecording, ifNoRecording, isAbsent, noRecordingItem } from './noRecording';
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
				{
					displayName: 'Add Metadata File',
					name: 'addMetadata',
					type: 'boolean',
					default: false,
					description:
						'Whether to output a second item with a JSON file about the recording: session GUID, times, format, checksum, what the CallEnd webhook said, and what the list of the service says. Its name is that of the recording.',
				},
				ifNoRecording,
				{
					displayName: 'If Recording Is Incomplete',
					name: 'ifIncomplete',
					type: 'options',
					options: [
						{ name: 'Fail', value: 'fail' },
						{
							name: 'Output It',
							value: 'output',
							description: "Once 'Wait Until Available' is over, with 'incomplete' set to true",
						},
					],
					default: 'fail',
					description:
						'What to do if a recording that is not encrypted ends before the end that it announces. The service may still be writing it, or always leave such files.',
				},
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
				skipRepeated,
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
		if (options.skipRepeated && (await isRepeated(this, sessionGuid))) return [];
		const passwords = values.decrypt === 'never' ? [] : await recordingPasswords(this, itemIndex);
		const { maxDuration = DEFAULT_MAX_SECONDS, maxSize = DEFAULT_MAX_MEGABYTES } = options;
		const waitMs = (options.waitUntilAvailable ?? 0) * 1000;
		const waitUntilMs = Date.now() + waitMs;
		const downloadOptions = {
			itemIndex,
			statusReasons: {
				...goneReasons,
				409: 'recordingNotReady',
				425: 'recordingNotReady',
			} as const,
			// 0 means no limit.
			maxBytes: (maxSize || Infinity) * 1024 * 1024,
			deadlineMs: waitUntilMs + (maxDuration || Infinity) * 1000,
			wait: waitForRecording(this, itemIndex, sessionGuid, waitMs),
		};

		const path = recordingPath(sessionGuid);
		const field = values.binaryPropertyName;
		try {
			const item = await tryPasswords(
				passwords,
				async (decryptNext) =>
					await download(this, path, downloadOptions, async (file) => {
						const outputsEarlyEnd = options.ifIncomplete === 'output' && Date.now() >= waitUntilMs;
						const content = await open(file, values.decrypt, decryptNext, outputsEarlyEnd);
						const baseName = canonicalSessionGuid(sessionGuid);
						const output = { ...content, baseName, sessionGuid };
						return await recordingItem(this, itemIndex, field, output, options);
					}),
			);
			return options.addMetadata
				? [item, await metadataItem(this, itemIndex, field, item)]
				: [item];
		} catch (error) {
			await forgetRecording(this, sessionGuid);
			if (isAbsent(error) && options.ifNoRecording === 'end') return [];
			if (isAbsent(error) && options.ifNoRecording === 'output') {
				return [[], [noRecordingItem(this, itemIndex, sessionGuid, error, options.outputFileName)]];
			}
			throw aboutRecording(this, itemIndex, sessionGuid, error);
		}
	},
});

interface Content {
	chunks: Chunks;
	format: FileFormat;
	/** Complete when the chunks have ended. */
	facts: {
		/** Whether the service had encrypted the recording. */
		encrypted: boolean;
		/** Which password decrypted it: 0 is the current one, 1 the first of the previous ones. */
		passwordIndex?: number;
		/** Set if a recording is output that ends early. */
		incomplete?: true;
	};
}

/** Recognizes by its first bytes what was downloaded, and decrypts it if `mode` asks for that. */
async function open(
	file: DownloadedFile,
	mode: 'automatic' | 'always' | 'never',
	decryptNext: Decrypt,
	outputsEarlyEnd: boolean,
): Promise<Content> {
	if (file.status === 202 || file.status === 204) throw new VoiceAgentError('recordingNotReady');
	if (file.status === 206) throw new VoiceAgentError('truncated', { retryable: true });
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
			facts: { encrypted: false },
		};
		return content;
	}
	if (mode === 'never') {
		// Neither audio nor long enough to be encrypted.
		if (head.length < MIN_ENCRYPTED_BYTES) throw new VoiceAgentError('notARecording');
		return { chunks: unpeek(peeked), format: encryptedFormat, facts: { encrypted: true } };
	}
	// The tag proves that the plaintext is complete: the service makes it when the recording has ended.
	const { chunks, passwordIndex } = await decryptNext(unpeek(peeked));
	const decrypted = await peek(chunks, AUDIO_HEAD_BYTES);
	const format = recognizeAudio(decrypted.head) ?? unknownFormat;
	return { chunks: unpeek(decrypted), format, facts: { encrypted: true, passwordIndex } };
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

/** @throws VoiceAgentError `notARecording` for a page, `recordingNotReady` for space that is not written to yet */
function refuseWhatIsNoRecording(head: Buffer, contentType: string): void {
	if (isPage(head, contentType)) throw new VoiceAgentError('notARecording');
	if (head.every((byte) => byte === 0)) throw new VoiceAgentError('recordingNotReady');
}

/** Whether an answer says that it is a page, or begins like one. */
function isPage(head: Buffer, contentType: string): boolean {
	return (
		/^(?:text\/html|application\/(?:[\w.-]+\+)?(?:json|xml))\b/i.test(contentType) ||
		isTextPage(head)
	);
}
