import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import { type Reason, VoiceAgentError } from '../../../errors';
import { tryPasswords } from '../../../recordingFile/tryPasswords';
import { numberFieldsOf, passwordsOf } from '../../../service/account';
import type { NumberFields } from '../../../service/apiCredential';
import { download } from '../../../service/http/download';
import { accessOf } from '../../../service/http/transport';
import { goneReasons, recordingPath } from '../../../service/recordings';
import { waitForRecording, type WaitSettings } from '../presence/availability';
import { type DecryptMode, KEEP_ENCRYPTED, type OpenOptions, openRecording } from './openRecording';
import { type OutputFile, recordingItem } from './output';
import { sessionName } from './tellingNames';

/** For all attempts together, after the wait for the recording. */
const MAX_DOWNLOAD_MS = 60 * 60 * 1000;
/** The greatest size of a file, unless the user has entered another one. */
export const DEFAULT_MAX_MEGABYTES = 4096;
/**
 * How long Download waits by itself, counted from when the webhook arrived. Recordings that take
 * longer are found by the Recording Trigger.
 */
const WAIT_AFTER_CALL_SECONDS = 60;

/** What the user has entered, and what is known about the call. */
export interface DownloadValues {
	decrypt: DecryptMode;
	binaryPropertyName: string;
	options: { maxSize?: number; outputFileName?: string; waitUntilAvailable?: number };
	account: ICredentialDataDecryptedObject;
	/** What the input item says, without secrets. */
	json: IDataObject;
	/** Finds out what is known about the call. */
	about: OutputFile['about'];
	isWorthWaiting: WaitSettings['isWorthWaiting'];
}

/** The reasons for which Keep Encrypted keeps a file that has arrived, as not verified. */
const UNVERIFIED: readonly Reason[] = [
	'notARecording',
	'passwordMissing',
	'recordingIncomplete',
	'recordingNotReady',
	'wrongPasswordOrAltered',
];

/**
 * Downloads a recording, and stores it: the output item of Download.
 *
 * Keep Encrypted first demands as much as the other modes, and waits and tries again as they do. A
 * file that is still not verified is then downloaded once more, and kept.
 */
export async function downloadedItem(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	values: DownloadValues,
): Promise<INodeExecutionData> {
	const waitMs = (values.options.waitUntilAvailable ?? secondsToWait(values.json)) * 1000;
	const passwords = passwordsOf(values.account);
	const call = { sessionGuid, numberFields: numberFieldsOf(values.account) };
	const downloadOnce = downloader(context, itemIndex, call, values, waitMs);
	let item: INodeExecutionData;
	try {
		item = await tryPasswords(passwords, async (nextDecrypt) => {
			// Without a password, there is still one attempt, but nothing to decrypt with.
			const decryptNext = passwords.length > 0 ? nextDecrypt : undefined;
			return await downloadOnce({ decryptNext });
		});
	} catch (error) {
		item = await keptItem(error, values.decrypt, downloadOnce);
	}
	sayIfUnverified(context, item.json);
	return item;
}

/**
 * Downloads a recording that was refused once more, and keeps it as the service has it.
 *
 * @throws the failure itself if it is not for Keep Encrypted to keep the file
 */
async function keptItem(
	failure: unknown,
	mode: DecryptMode,
	downloadOnce: DownloadOnce,
): Promise<INodeExecutionData> {
	const keptBecause = mode === KEEP_ENCRYPTED ? problemOfFile(failure) : undefined;
	if (keptBecause === undefined) throw failure;
	// The recording was there a moment ago.
	return await downloadOnce({ keptBecause }, { wait: false });
}

/**
 * Why a file that has arrived was refused; `undefined` if a download failed for another reason,
 * such as the answer of the service.
 */
function problemOfFile(error: unknown): string | undefined {
	if (!(error instanceof VoiceAgentError)) return undefined;
	const isAnswer = error.httpStatus !== undefined;
	if (isAnswer || !UNVERIFIED.includes(error.reason)) return undefined;
	return error.message;
}

/**
 * Downloads the recording from its start, and stores it. Unless told otherwise, it waits for a
 * recording that is not there yet.
 */
type DownloadOnce = (
	openOptions: Omit<OpenOptions, 'mode'>,
	timing?: { wait: boolean },
) => Promise<INodeExecutionData>;

/**
 * Makes a function that downloads the recording. All its calls share one deadline.
 *
 * @param waitMs how long a call waits for a recording that is not there yet
 */
function downloader(
	context: IExecuteFunctions,
	itemIndex: number,
	{ sessionGuid, numberFields }: { sessionGuid: string; numberFields: NumberFields },
	values: DownloadValues,
	waitMs: number,
): DownloadOnce {
	const { decrypt, binaryPropertyName, options, json: input, about, isWorthWaiting } = values;
	const access = accessOf(values.account);
	const { maxSize = DEFAULT_MAX_MEGABYTES } = options;
	const request = {
		statusReasons: { ...goneReasons, 409: 'recordingNotReady', 425: 'recordingNotReady' },
		// 0 means no limit.
		maxBytes: maxSize === 0 ? Infinity : maxSize * 1024 * 1024,
		deadlineMs: Date.now() + waitMs + MAX_DOWNLOAD_MS,
	} as const;
	return async (openOptions, timing = { wait: true }) => {
		const forMs = timing.wait ? waitMs : 0;
		const settings = { forMs, isWorthWaiting };
		const wait = waitForRecording(context, itemIndex, sessionGuid, settings);
		const requestWithWait = { ...request, wait };
		const path = recordingPath(sessionGuid);
		return await download(context, access, path, requestWithWait, async (file) => {
			const content = await openRecording(file, { mode: decrypt, ...openOptions });
			const baseName = sessionName(sessionGuid);
			const output = { ...content, baseName, sessionGuid, input, about, numberFields };
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
	const message = [
		`The file of ${String(sessionGuid)} was kept as the service has it,`,
		`but it is not known to be a whole recording. ${String(unverifiedReason)}.`,
		'Look at it before the service purges the recording.',
	].join(' ');
	context.addExecutionHints({ type: 'warning', location: 'outputPane', message });
}

/**
 * How long to wait for a recording if the user has not said it: after the webhook of a call that
 * has just ended, the service may still make it.
 */
function secondsToWait({ event, receivedAt }: IDataObject): number {
	if (event !== 'callEnd') return 0;
	const receivedMs = Date.parse(String(receivedAt));
	if (Number.isNaN(receivedMs)) return 0;
	const secondsSince = (Date.now() - receivedMs) / 1000;
	return Math.max(0, WAIT_AFTER_CALL_SECONDS - secondsSince);
}
