import { operation } from '../../fields/operation';
import type { Wanted } from './downloadItem';
import { downloadOpened, downloadUntouched } from './downloadItem';
import { metadataItem } from './metadata';
import {
	aboutRecording,
	ifNoRecording,
	ifNotOpened,
	isAbsent,
	noRecordingItem,
} from './noRecording';
import { isNotOpened } from './openRecording';
import { outputField, outputFileName, recording } from './recordingFields';
import { forgetRecording, isRepeated } from './repeated';
import { sessionGuidOf } from './sessionGuidOf';

const DEFAULT_MAX_MEGABYTES = 4096;

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
