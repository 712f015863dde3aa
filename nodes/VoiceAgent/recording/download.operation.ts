import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { VoiceAgentError } from '../../errors';
import { operation } from '../../fields/operation';
import { tryPasswords } from '../../recordingFile/tryPasswords';
import type { DownloadedFile } from '../../service/http/download';
import { download } from '../../service/http/download';
import { recordingPasswords } from '../../service/recordingPasswords';
import { goneReasons, recordingPath } from '../../service/recordingPath';
import { canonicalSessionGuid } from '../../service/sessionGuid';
import { waitForRecording } from './availability';
import { storableChunks } from './binary';
import { metadataItem } from './metadata';
import { forgetRecording, isRepeated } from './repeated';
import {
	aboutRecording,
	ifNoRecording,
	ifNotOpened,
	isAbsent,
	noRecordingItem,
} from './noRecording';
import type { Content } from './openRecording';
import { isNotOpened, openRecording, untouchedRecording } from './openRecording';
import { recordingItem } from './output';
import { outputField, outputFileName, recording } from './recordingFields';
import { sessionGuidOf } from './sessionGuidOf';

const DEFAULT_MAX_MEGABYTES = 4096;
/** For all attempts together. */
const MAX_DOWNLOAD_MS = 60 * 60 * 1000;

export const downloadRecording = operation({
	name: 'Download',
	value: 'download',
	action: 'Download recording',
	description: 'Download a recording, and decrypt it if it is encrypted',
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
					description: 'Keep the file as the service has it (.enc if it is encrypted)',
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
						'Whether to output a second item with a JSON file about the recording: session GUID, times, format, checksum, CallEnd payload and list record. It has the name of the recording.',
				},
				ifNotOpened,
				{
					displayName: 'If Recording Is Incomplete',
					name: 'ifIncomplete',
					type: 'options',
					options: [
						{ name: 'Fail', value: 'fail' },
						{
							name: 'Output It',
							value: 'output',
							description: "After 'Wait Until Available (Seconds)', with 'incomplete' set to true",
						},
					],
					default: 'fail',
					description:
						'What to do if an unencrypted recording stops before the end that its header announces. The service may still be writing it, or always leave such files.',
				},
				ifNoRecording,
				{
					displayName: 'Max Size (MB)',
					name: 'maxSize',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: DEFAULT_MAX_MEGABYTES,
					description:
						'Refuse a larger file. 0 means no limit. If n8n keeps files in memory or in its database (the default in queue mode), the whole file is held in memory.',
				},
				outputFileName,
				{
					displayName: 'Wait Until Available (Seconds)',
					name: 'waitUntilAvailable',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 60,
					description:
						'How long to try again while the service has no recording yet, with growing pauses. Without this option, a missing recording fails immediately.',
				},
			],
		},
	],
	async execute({ options, ...values }, itemIndex) {
		const sessionGuid = sessionGuidOf(this, values.recording);
		if (await isRepeated(this, sessionGuid)) {
			const message = `Nothing was downloaded: another execution began with ${sessionGuid} a short while ago, so this webhook is a repeated one. To download it again, retry the execution or start it by hand.`;
			this.addExecutionHints({ type: 'info', location: 'outputPane', message });
			return [];
		}
		const { maxSize = DEFAULT_MAX_MEGABYTES, outputFileName: template } = options;
		const waitMs = (options.waitUntilAvailable ?? 0) * 1000;
		const wanted: Wanted = {
			sessionGuid,
			decrypt: values.decrypt,
			evenIncomplete: options.ifIncomplete === 'output',
			field: values.binaryPropertyName,
			template,
			// 0 means no limit.
			maxBytes: (maxSize || Infinity) * 1024 * 1024,
			waitMs,
			waitUntilMs: Date.now() + waitMs,
		};
		try {
			const opened = downloadOpened(this, itemIndex, wanted);
			const item = await opened.catch(async (error: unknown) => {
				if (!isNotOpened(error) || options.ifNotOpened !== 'output') throw error;
				return await downloadUntouched(this, itemIndex, wanted, error);
			});
			const items = [item];
			if (options.addMetadata) {
				items.push(await metadataItem(this, itemIndex, wanted.field, item));
			}
			const isUntouched = item.json.reason !== undefined;
			if (!isUntouched) return items;
			return options.ifNoRecording === 'output' ? [[], [], items] : [[], items];
		} catch (error) {
			await forgetRecording(this, sessionGuid);
			if (isAbsent(error) && options.ifNoRecording === 'end') return [];
			if (isAbsent(error) && options.ifNoRecording === 'output') {
				return [[], [noRecordingItem(this, itemIndex, sessionGuid, error, template)]];
			}
			throw aboutRecording(this, itemIndex, sessionGuid, error);
		}
	},
});

/** A recording, and how it is downloaded. */
interface Wanted {
	sessionGuid: string;
	decrypt: 'always' | 'automatic' | 'never';
	/** Whether audio that ends early is output when the wait is over. */
	evenIncomplete: boolean;
	/** Binary field of the output item. */
	field: string;
	/** Output File Name. */
	template: string | undefined;
	maxBytes: number;
	waitMs: number;
	/** In milliseconds since 1970. */
	waitUntilMs: number;
}

async function downloadOpened(
	context: IExecuteFunctions,
	itemIndex: number,
	wanted: Wanted,
): Promise<INodeExecutionData> {
	const { decrypt, evenIncomplete, waitUntilMs } = wanted;
	const passwords = decrypt === 'never' ? [] : await recordingPasswords(context, itemIndex);
	return await tryPasswords(
		passwords,
		async (decryptNext) =>
			await downloadAs(context, itemIndex, wanted, async (file) => {
				const outputsEarlyEnd = evenIncomplete && Date.now() >= waitUntilMs;
				return await openRecording(file, decrypt, decryptNext, outputsEarlyEnd);
			}),
	);
}

/** @param error why it could not be opened */
async function downloadUntouched(
	context: IExecuteFunctions,
	itemIndex: number,
	wanted: Wanted,
	error: VoiceAgentError,
): Promise<INodeExecutionData> {
	const contentOf = async (file: DownloadedFile) => await untouchedRecording(file, error);
	return await downloadAs(context, itemIndex, { ...wanted, waitMs: 0 }, contentOf);
}

async function downloadAs(
	context: IExecuteFunctions,
	itemIndex: number,
	{ sessionGuid, field, template, maxBytes, waitMs, waitUntilMs }: Wanted,
	contentOf: (file: DownloadedFile) => Promise<Content>,
): Promise<INodeExecutionData> {
	return await download(
		context,
		recordingPath(sessionGuid),
		{
			itemIndex,
			statusReasons: { ...goneReasons, 409: 'recordingNotReady', 425: 'recordingNotReady' },
			maxBytes,
			deadlineMs: waitUntilMs + MAX_DOWNLOAD_MS,
			wait: waitForRecording(context, itemIndex, sessionGuid, waitMs),
		},
		async (file) => {
			const chunks = storableChunks(context, file.chunks, file.announcedBytes);
			const content = await contentOf({ ...file, chunks });
			const output = { ...content, baseName: canonicalSessionGuid(sessionGuid), sessionGuid };
			return await recordingItem(context, itemIndex, field, output, template);
		},
	);
}
