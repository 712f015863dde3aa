import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { VoiceAgentError } from '../../errors';
import { tryPasswords } from '../../recordingFile/tryPasswords';
import type { DownloadedFile } from '../../service/http/download';
import { download } from '../../service/http/download';
import { recordingPasswords } from '../../service/recordingPasswords';
import { goneReasons, recordingPath } from '../../service/recordingPath';
import { canonicalSessionGuid } from '../../service/sessionGuid';
import { waitForRecording } from './availability';
import { storableChunks } from './binary';
import type { Content } from './openRecording';
import { openRecording, untouchedRecording } from './openRecording';
import { recordingItem } from './output';

/** For all attempts together. */
const MAX_DOWNLOAD_MS = 60 * 60 * 1000;

/** A recording, and how it is downloaded. */
export interface Wanted {
	sessionGuid: string;
	decrypt: 'always' | 'automatic' | 'never';
	/** Binary field of the output item. */
	field: string;
	/** Output File Name. */
	template: string | undefined;
	maxBytes: number;
	waitMs: number;
	/** In milliseconds since 1970. */
	waitUntilMs: number;
}

/** The item of a recording, decrypted if it is encrypted. */
export async function downloadOpened(
	context: IExecuteFunctions,
	itemIndex: number,
	wanted: Wanted,
): Promise<INodeExecutionData> {
	const { decrypt } = wanted;
	const passwords = decrypt === 'never' ? [] : await recordingPasswords(context, itemIndex);
	return await tryPasswords(
		passwords,
		async (decryptNext) =>
			await downloadAs(
				context,
				itemIndex,
				wanted,
				async (file) => await openRecording(file, decrypt, decryptNext),
			),
	);
}

/**
 * The item of a recording as the service has it.
 * @param error why it could not be opened
 */
export async function downloadUntouched(
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
