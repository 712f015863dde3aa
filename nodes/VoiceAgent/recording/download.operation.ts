import type { INodeExecutionData } from 'n8n-workflow';

import { operation } from '../../fields/operation';
import { tryPasswords } from '../../recordingFile/tryPasswords';
import type { DownloadedFile } from '../../service/http/download';
import { download } from '../../service/http/download';
import { recordingPasswords } from '../../service/recordingPasswords';
import { goneReasons, recordingPath } from '../../service/recordingPath';
import { canonicalSessionGuid } from '../../service/sessionGuid';
import { isInInput, itemsOfSession } from './archivedFiles';
import { waitForRecording } from './availability';
import { storableChunks } from './binary';
import { metadataItem } from './metadata';
import { forgetRecording, isRepeated, skipRepeated } from './repeated';
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
import {
	includeMd5,
	outputExtension,
	outputField,
	outputFileName,
	recording,
	skipArchived,
} from './recordingFields';
import { sessionGuidOf } from './sessionGuidOf';

const DEFAULT_MAX_MEGABYTES = 4096;
const DEFAULT_MAX_SECONDS = 3600;

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
				includeMd5,
				{
					displayName: 'Max Duration (Seconds)',
					name: 'maxDuration',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: DEFAULT_MAX_SECONDS,
					description:
						'Stop a download that takes longer, all attempts included. 0 means no limit.',
				},
				{
					displayName: 'Max Size (MB)',
					name: 'maxSize',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: DEFAULT_MAX_MEGABYTES,
					description:
						'Refuse a larger file. 0 means no limit. If n8n keeps files in memory or in its database (the default in queue mode), the whole file is held in memory.',
				},
				outputExtension,
				outputFileName,
				skipArchived,
				skipRepeated,
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
	async execute({ options, ...values }, itemIndex, valuesAt) {
		const sessionGuid = sessionGuidOf(this, values.recording);
		if (options.skipRepeated && (await isRepeated(this, sessionGuid))) return [];
		const indices = options.skipArchived
			? await itemsOfSession(this, sessionGuid, valuesAt)
			: [itemIndex];
		// The first item of a session acts for all of them.
		if (indices[0] !== itemIndex) return [];
		const passwords = values.decrypt === 'never' ? [] : await recordingPasswords(this, itemIndex);
		const { maxDuration = DEFAULT_MAX_SECONDS, maxSize = DEFAULT_MAX_MEGABYTES } = options;
		const waitMs = (options.waitUntilAvailable ?? 0) * 1000;
		const waitUntilMs = Date.now() + waitMs;
		const field = values.binaryPropertyName;

		const downloadAs = async (
			contentOf: (file: DownloadedFile) => Promise<Content>,
			forMs = waitMs,
		): Promise<INodeExecutionData> =>
			await download(
				this,
				recordingPath(sessionGuid),
				{
					itemIndex,
					statusReasons: { ...goneReasons, 409: 'recordingNotReady', 425: 'recordingNotReady' },
					// 0 means no limit.
					maxBytes: (maxSize || Infinity) * 1024 * 1024,
					deadlineMs: waitUntilMs + (maxDuration || Infinity) * 1000,
					wait: waitForRecording(this, itemIndex, sessionGuid, forMs),
				},
				async (file) => {
					const chunks = storableChunks(this, file.chunks, file.announcedBytes);
					const content = await contentOf({ ...file, chunks });
					const output = { ...content, baseName: canonicalSessionGuid(sessionGuid), sessionGuid };
					return await recordingItem(this, itemIndex, field, output, options);
				},
			);
		const downloadOpened = async () =>
			await tryPasswords(
				passwords,
				async (decryptNext) =>
					await downloadAs(async (file) => {
						const outputsEarlyEnd = options.ifIncomplete === 'output' && Date.now() >= waitUntilMs;
						return await openRecording(file, values.decrypt, decryptNext, outputsEarlyEnd);
					}),
			);
		/** All that is output for a recording. */
		const itemsFor = async (item: INodeExecutionData) => {
			const sha256 = String(item.json.sha256);
			if (options.skipArchived && (await isInInput(this, indices, field, sessionGuid, sha256))) {
				return [];
			}
			return options.addMetadata
				? [item, await metadataItem(this, itemIndex, field, item)]
				: [item];
		};

		try {
			const { item, notOpened } = await downloadOpened().then(
				(item) => ({ item, notOpened: false }),
				async (error: unknown) => {
					if (!isNotOpened(error) || options.ifNotOpened !== 'output') throw error;
					const untouched = async (file: DownloadedFile) => await untouchedRecording(file, error);
					return { item: await downloadAs(untouched, 0), notOpened: true };
				},
			);
			const items = await itemsFor(item);
			if (!notOpened) return items;
			return options.ifNoRecording === 'output' ? [[], [], items] : [[], items];
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
