import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { withoutPasswords } from '../../data/hidePasswords';
import { type Reason, VoiceAgentError } from '../../errors';
import { optionsField } from '../../fields/field';
import { operation } from '../../fields/operation';
import { tryPasswords } from '../../recordingFile/tryPasswords';
import { download } from '../../service/http/download';
import { knownPasswords, recordingPasswords } from '../../service/account';
import { goneReasons, recordingPath } from '../../service/recordings';
import { aboutRecording, isGone, waitForRecording } from './presence/availability';
import { noteDownload } from './archive/freshness';
import { type OpenOptions, openRecording } from './file/openRecording';
import { callEndIn, metadataItem, recordingItem } from './file/output';
import { requireTellingTemplate, sessionName } from './file/tellingNames';
import { outputField, outputFileName, recording, sessionGuidOf } from './recordingFields';
import { forgetRecording, isRepeated } from './presence/repeated';
import { findRecord } from './presence/listing';

/** For all attempts together, after the wait for the recording. */
const MAX_DOWNLOAD_MS = 60 * 60 * 1000;
const DEFAULT_MAX_MEGABYTES = 4096;
/** Beginning with the webhook. What comes later, a sweep finds. */
const WAIT_AFTER_CALL_SECONDS = 15;

export const downloadRecording = operation({
	name: 'Download',
	value: 'download',
	action: 'Download recording',
	description: 'Download a recording, and decrypt it if it is encrypted',
	uses: ['apiKey', 'recordingPassword'],
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
						"Keep the file as the service has it (.enc if it is encrypted), and check it on the way. What cannot be checked is kept with 'verified' false.",
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
					'How long to try again while the service has no recording yet, with growing pauses. Without this option, up to 15 seconds after a CallEnd webhook, and not at all for other items.',
			},
		]),
	],
	async execute(values, itemIndex) {
		const { binaryPropertyName, options } = values;
		const sessionGuid = sessionGuidOf(this, values.recording);
		requireTellingTemplate(options.outputFileName, sessionGuid);
		const { json = {} } = this.getInputData()[itemIndex] ?? {};
		// What is about a call that the service has reported needs nobody to look at.
		const isReported = json.event === 'callEnd' || 'callEndedAt' in json;
		if (await isRepeated(this, sessionGuid)) {
			const message = `Nothing was downloaded: another execution began with ${sessionGuid} a short while ago, so this webhook is a repeated one. To download it again, retry the execution or start it by hand.`;
			this.addExecutionHints({ type: 'info', location: 'outputPane', message });
			return [];
		}
		let call = json;
		const about = async (isNameMissing: boolean): Promise<IDataObject> => {
			const isEndMissing = options.addMetadata === true && Number.isNaN(callEndIn(json));
			// An item that came from the list has all that the list says.
			const isFromList = Boolean(json.recording);
			if (!isFromList && (isNameMissing || isEndMissing)) {
				call = { ...json, ...(await findRecord(this, itemIndex, sessionGuid)) };
			}
			return call;
		};
		try {
			const item = await downloadedItem(this, itemIndex, sessionGuid, { ...values, about });
			noteDownload(this, sessionGuid);
			if (!options.addMetadata) return [item];
			const described = withoutPasswords(call, await knownPasswords(this, itemIndex));
			return [item, await metadataItem(this, itemIndex, binaryPropertyName, item, described)];
		} catch (error) {
			await forgetRecording(this, sessionGuid);
			if (isGone(error) && isReported) return [];
			throw aboutRecording(error, sessionGuid, json.retentionEndsAt);
		}
	},
});

/**
 * How long to wait for a recording: after the webhook of a call that has just ended, the service
 * may still make it.
 */
function secondsToWait({ event, receivedAt }: IDataObject): number {
	if (event !== 'callEnd') return 0;
	const seconds = (Date.parse(String(receivedAt)) - Date.now()) / 1000 + WAIT_AFTER_CALL_SECONDS;
	return Math.max(0, seconds || 0);
}

interface DownloadValues {
	decrypt: 'always' | 'automatic' | 'never';
	binaryPropertyName: string;
	options: { maxSize?: number; outputFileName?: string; waitUntilAvailable?: number };
	about: (isNameMissing: boolean) => Promise<IDataObject>;
}

/** Why a file that has arrived is not known to be a whole recording. */
const UNVERIFIED: readonly Reason[] = [
	'notARecording',
	'passwordMissing',
	'recordingIncomplete',
	'recordingNotReady',
	'wrongPasswordOrAltered',
];

/**
 * Keep Encrypted first demands as much as the other modes, and waits and tries again as they do. A
 * file that is still not verified is then downloaded once more, and kept.
 */
async function downloadedItem(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	values: DownloadValues,
): Promise<INodeExecutionData> {
	const { json = {} } = context.getInputData()[itemIndex] ?? {};
	const { waitUntilAvailable = secondsToWait(json) } = values.options;
	const passwords = await recordingPasswords(context, itemIndex);
	const downloadOnce = downloader(context, itemIndex, sessionGuid, values);
	const verified = tryPasswords(passwords, async (next) => {
		const decryptNext = passwords.length > 0 ? next : undefined;
		return await downloadOnce(waitUntilAvailable * 1000, { decryptNext });
	});
	const item = await verified.catch(async (error: unknown) => {
		if (values.decrypt !== 'never' || !isAboutFile(error)) throw error;
		return await downloadOnce(0, { keptBecause: error.message });
	});
	sayIfUnverified(context, item.json);
	return item;
}

/** Whether a download failed because of the file, and not because of the answer of the service. */
function isAboutFile(error: unknown): error is VoiceAgentError {
	if (!(error instanceof VoiceAgentError)) return false;
	return error.httpStatus === undefined && UNVERIFIED.includes(error.reason);
}

/** Downloads the recording from its start, and stores it. */
function downloader(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	{ decrypt, binaryPropertyName, options, about }: DownloadValues,
) {
	const { maxSize = DEFAULT_MAX_MEGABYTES, waitUntilAvailable = 0 } = options;
	const request = {
		itemIndex,
		statusReasons: { ...goneReasons, 409: 'recordingNotReady', 425: 'recordingNotReady' },
		maxBytes: (maxSize || Infinity) * 1024 * 1024,
		deadlineMs: Date.now() + waitUntilAvailable * 1000 + MAX_DOWNLOAD_MS,
	} as const;
	return async (waitMs: number, how: Omit<OpenOptions, 'mode'>): Promise<INodeExecutionData> => {
		const wait = waitForRecording(context, itemIndex, sessionGuid, waitMs);
		const all = { ...request, wait };
		return await download(context, recordingPath(sessionGuid), all, async (file) => {
			const content = await openRecording(file, { mode: decrypt, ...how });
			const output = { ...content, baseName: sessionName(sessionGuid), sessionGuid, about };
			const template = options.outputFileName;
			return await recordingItem(context, itemIndex, binaryPropertyName, output, template);
		});
	};
}

function sayIfUnverified(
	context: IExecuteFunctions,
	{ verified, sessionGuid, unverifiedReason }: IDataObject,
): void {
	if (verified) return;
	const message = `The file of ${String(sessionGuid)} was kept as the service has it, but it is not known to be a whole recording. ${String(unverifiedReason)}. Look at it before the service purges the recording.`;
	context.addExecutionHints({ type: 'warning', location: 'outputPane', message });
}
