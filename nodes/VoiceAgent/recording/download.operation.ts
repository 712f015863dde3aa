import type { IDataObject } from 'n8n-workflow';

import type { VoiceAgentError } from '../../errors';
import { optionsField } from '../../fields/field';
import { operation } from '../../fields/operation';
import { ACCOUNT } from '../../service/apiCredential';
import { aboutRecording } from './presence/availability';
import { noteDownloaded } from './presence/downloaded';
import { ExpectedRecording } from './presence/expected';
import { noteDownload } from './archive/freshness';
import { DEFAULT_MAX_MEGABYTES, downloadedItem } from './file/downloadedItem';
import { callEndIn } from './file/callTimes';
import { inputJson } from './file/inputJson';
import { metadataItem } from './file/output';
import { requireTellingTemplate } from './file/tellingNames';
import { noteRecording } from './notedRecording';
import { outputField, outputFileName, recording, sessionGuidOf } from './recordingFields';
import { forgetRecording, isRepeated } from './presence/repeated';
import { findRecord } from './presence/listing';

export const downloadRecording = operation({
	name: 'Download',
	value: 'download',
	action: 'Download recording',
	description: 'Download a recording, and decrypt it if it is encrypted',
	usesAccount: true,
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
					name: 'Keep Encrypted',
					value: 'never',
					description:
						"Keep the file as the service has it (.enc if it is encrypted), and check it on the way. A file that cannot be checked is kept with 'verified' false.",
				},
			],
			description: 'When to decrypt, with the password of the credential above',
			hint: "If your recordings are encrypted, enter the 'Recording Password' in the credential above",
		},
		outputField,
		optionsField([
			{
				displayName: 'Add Metadata File',
				name: 'addMetadata',
				type: 'boolean',
				default: false,
				description:
					'Whether to output a second item with a JSON file about the recording: session GUID, times, format and checksum, with the CallEnd payload or the list record of the input item. It has the name of the recording.',
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
			outputFileName,
			{
				displayName: 'Wait Until Available (Seconds)',
				name: 'waitUntilAvailable',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 60,
				description:
					'How long to try again while the service has no recording yet, with growing pauses. Without this option, until a minute after a CallEnd webhook arrived, and not at all for other items. If the payload says that the call was not recorded, this only waits for a recording that the service lists.',
			},
		]),
	],
	async execute(values, itemIndex) {
		const { binaryPropertyName, options } = values;
		const sessionGuid = sessionGuidOf(this, values.recording);
		noteRecording(this, itemIndex, sessionGuid);
		requireTellingTemplate(options.outputFileName, sessionGuid);
		const account = await this.getCredentials(ACCOUNT, itemIndex);
		const json = inputJson(this, itemIndex, account);
		if (await isRepeated(this, sessionGuid)) {
			const message = `Nothing was downloaded: another execution began with ${sessionGuid} a short while ago, so this webhook is a repeated one. To download it again, retry the execution or start it by hand.`;
			this.addExecutionHints({ type: 'info', location: 'outputPane', message });
			return [];
		}
		const expected = new ExpectedRecording(this, itemIndex, sessionGuid, json);
		let call = json;
		const about = async (isNameMissing: boolean): Promise<IDataObject> => {
			const isEndMissing = options.addMetadata === true && Number.isNaN(callEndIn(json));
			// An item that came from the list has all that the list says.
			const isFromList = Boolean(json.recording);
			if (!isFromList && (isNameMissing || isEndMissing)) {
				const listed = await findRecord(this, itemIndex, sessionGuid);
				if (listed) call = { ...json, ...listed };
			}
			return call;
		};
		try {
			const isWorthWaiting = async () => await expected.isWorthWaiting();
			const settings = { ...values, account, json, about, isWorthWaiting };
			const item = await downloadedItem(this, itemIndex, sessionGuid, settings);
			if (!options.addMetadata) return [item];
			return [item, await metadataItem(this, itemIndex, binaryPropertyName, item, call)];
		} catch (error) {
			await forgetRecording(this, sessionGuid);
			const explanation = await expected.explain(error);
			if (explanation.hint) {
				this.addExecutionHints({ ...explanation.hint, location: 'outputPane' });
				return [];
			}
			const { failure } = explanation;
			const { keptUntil = json.keptUntil } = failure as Partial<VoiceAgentError>;
			noteRecording(this, itemIndex, sessionGuid, keptUntil);
			throw aboutRecording(failure, sessionGuid, keptUntil);
		}
	},
	async afterItems(output) {
		const named = output.map(({ json }) => json.sessionGuid);
		const sessionGuids = [...new Set(named.filter((guid) => typeof guid === 'string'))];
		for (const sessionGuid of sessionGuids) noteDownload(this, sessionGuid);
		if (sessionGuids.length > 0) await noteDownloaded(this, sessionGuids);
	},
});
