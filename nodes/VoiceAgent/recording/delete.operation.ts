import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../errors';
import { itemOf, operation } from '../../fields/operation';
import { mayHaveBeenCarriedOut } from '../../service/http/httpErrors';
import { goneReasons, recordingPath } from '../../service/recordingPath';
import { request } from '../../service/http/request';
import {
	downloadedFiles,
	findArchived,
	itemsOfSession,
	notArchived,
	requireArchived,
	valuesOf,
} from './archivedFiles';
import { confirmedByList } from './availability';
import { deletionOf, findListed, noteDeletion } from './listing';
import { recording } from './recordingFields';
import { sessionGuidOf } from './sessionGuidOf';

const withProof = { show: { requireProof: [true] } };
const withChecksum = { show: { requireProof: [true], proofFrom: ['checksum'] } };

export const deleteRecording = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete recording',
	description: 'Delete a recording from the service permanently',
	credentials: [{ name: 'voiceAgentApi' }],
	fields: [
		{
			displayName:
				"If the previous node does not pass on 'sessionGuid', refer to the node that has it, for example {{ $('Download recording').item.json.sessionGuid }}",
			name: 'whereSessionGuidIs',
			type: 'notice',
			default: '',
		},
		recording,
		{
			displayName: 'Require Proof of Archiving',
			name: 'requireProof',
			type: 'boolean',
			default: false,
			description:
				'Whether to delete the recording only if each of its files is in the archive as it was downloaded. Items with the same session GUID are checked together.',
		},
		{
			displayName:
				"Take 'Checksum in Archive' and 'Size in Archive (Bytes)' from the archive, not from Download: a download always equals itself. Google Drive reports 'sha256Checksum' and 'size'. For a file, read it back and set 'Proof From' to 'File Read Back From the Archive', or use a Crypto node.",
			name: 'whereProofIs',
			type: 'notice',
			default: '',
			displayOptions: withChecksum,
		},
		{
			displayName: 'Proof From',
			name: 'proofFrom',
			type: 'options',
			default: 'checksum',
			displayOptions: withProof,
			options: [
				{
					name: 'Checksum That the Archive Reports',
					value: 'checksum',
					description: 'Such as the sha256Checksum of Google Drive',
				},
				{
					name: 'File Read Back From the Archive',
					value: 'file',
					description: 'This node calculates the checksum of the file in the input item',
				},
			],
		},
		{
			displayName: 'Checksum of Download',
			name: 'downloadChecksum',
			type: 'string',
			// A missing value has a meaning of its own, or an error of its own.
			ignoreValidationDuringExecution: true,
			default: '',
			displayOptions: withProof,
			placeholder: "e.g. {{ $('Download recording').item.json.sha256 }}",
			description:
				'SHA-256 or MD5 from the output of Download. If it is empty because there was no recording to download, nothing is deleted, and the output says whether it is archived.',
		},
		{
			displayName: 'Checksum in Archive',
			name: 'archiveChecksum',
			type: 'string',
			ignoreValidationDuringExecution: true,
			default: '',
			displayOptions: withChecksum,
			placeholder: 'e.g. {{ $json.sha256Checksum }}',
			description:
				'SHA-256 or MD5 that the archive reports for the stored file. For a file, a Crypto node calculates it.',
		},
		{
			displayName: 'Size of Download (Bytes)',
			name: 'downloadSize',
			type: 'string',
			ignoreValidationDuringExecution: true,
			default: '',
			displayOptions: withProof,
			placeholder: "e.g. {{ $('Download recording').item.json.bytes }}",
			description: "The field 'bytes' of the output of Download",
		},
		{
			displayName: 'Size in Archive (Bytes)',
			name: 'archiveSize',
			type: 'string',
			ignoreValidationDuringExecution: true,
			default: '',
			displayOptions: withChecksum,
			placeholder: 'e.g. {{ $json.size }}',
			description: 'Size that the archive reports for the stored file',
		},
		{
			displayName: 'Input Binary Field',
			name: 'inputBinaryField',
			type: 'string',
			default: 'data',
			displayOptions: { show: { requireProof: [true], proofFrom: ['file'] } },
			placeholder: 'e.g. data',
			hint: 'The name of the input binary field that holds the file from the archive',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			placeholder: 'Add option',
			options: [
				{
					displayName: 'Downloaded Files',
					name: 'downloadedFiles',
					type: 'string',
					ignoreValidationDuringExecution: true,
					default: '',
					placeholder: "e.g. {{ $('Download recording').all() }}",
					description:
						'All items that Download has output, in place of the checksum and size of each. Required if Download adds a metadata file, so that the archive must have both files.',
				},
				{
					displayName: 'Error While Archiving',
					name: 'archiveError',
					type: 'string',
					ignoreValidationDuringExecution: true,
					default: '={{ $json.error }}',
					description:
						'Reason to show if the recording is not in the archive, from the node that stores it there and continues on errors',
				},
				{
					displayName: 'If Already Gone',
					name: 'ifGone',
					type: 'options',
					options: [
						{ name: 'Count as Deleted', value: 'succeed' },
						{ name: 'Fail', value: 'fail' },
					],
					default: 'succeed',
					description: 'What to do if the service no longer has the recording',
				},
				{
					displayName: 'Keep Recording',
					name: 'keepRecording',
					type: 'boolean',
					default: false,
					description:
						'Whether to check the proof only. The service keeps the recording until it purges it.',
				},
				{
					displayName: 'Stored Checksum',
					name: 'storedChecksum',
					type: 'string',
					ignoreValidationDuringExecution: true,
					default: '',
					placeholder: 'e.g. {{ $json.appProperties.sha256 }}',
					description:
						'SHA-256 that was stored with the file when it was archived. It shows that the archived file is complete if the recording can no longer be downloaded.',
				},
			],
		},
	],
	async execute(values, itemIndex, valuesAt) {
		const sessionGuid = sessionGuidOf(this, values.recording);
		const { ifGone, keepRecording } = values.options;
		if (!values.requireProof) {
			if (keepRecording) throw invalid("'Keep Recording' needs 'Require Proof of Archiving'");
			return [itemOf(itemIndex, await deleteOnce(this, itemIndex, sessionGuid, ifGone))];
		}
		const indices = await itemsOfSession(this, sessionGuid, valuesAt);
		// The first item of a session acts for all of them.
		if (indices[0] !== itemIndex) return [];
		const items = await valuesOf(indices, valuesAt);
		const downloaded = await downloadedFiles(items);
		try {
			if (downloaded.length === 0) {
				const { listed } = await findListed(this, itemIndex, sessionGuid);
				if (listed !== 'no') throw notArchived(this, items);
				if (ifGone === 'fail') throw new VoiceAgentError('recordingGone');
				const { index, ...found } = (await findArchived(this, items)) ?? {};
				const archived = index !== undefined;
				const json = { sessionGuid, deleted: false, alreadyGone: true, archived, ...found };
				return [itemOf(index ?? itemIndex, json)];
			}
			await requireArchived(this, items, downloaded);
		} catch (error) {
			throw await withDeadline(this, itemIndex, sessionGuid, error);
		}
		const outcome = keepRecording
			? { sessionGuid, deleted: false }
			: await deleteOnce(this, itemIndex, sessionGuid, ifGone);
		const found = {
			archived: true,
			sha256: String(downloaded[0]?.checksum),
			bytes: Number(downloaded[0]?.size),
			archivedAt: new Date().toISOString(),
		};
		return [itemOf(itemIndex, { ...outcome, ...found })];
	},
});

/** Adds to an error which recording is at risk, and until when. */
async function withDeadline(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	error: unknown,
): Promise<unknown> {
	if (!(error instanceof VoiceAgentError) || error.reason === 'recordingGone') return error;
	const { found } = await findListed(context, itemIndex, sessionGuid);
	return error.withHint(
		found
			? `The recording ${sessionGuid} is still at the service, which keeps it until ${found.retentionEndsAt ?? '7 days after the call'}.`
			: `The recording ${sessionGuid} was not deleted.`,
	);
}

/** @throws VoiceAgentError whatever shows that the recording may still be there, and `recordingGone` with `ifGone` 'fail' */
async function deleteOnce(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	ifGone: 'succeed' | 'fail' = 'succeed',
): Promise<IDataObject> {
	try {
		await request(context, 'DELETE', recordingPath(sessionGuid), {
			itemIndex,
			statusReasons: goneReasons,
			onFailure: (error) => mayHaveDeleted(error) && noteDeletion(context, sessionGuid, Date.now()),
		});
		noteDeletion(context, sessionGuid, 'confirmed');
	} catch (failure) {
		const error = await confirmedByList(context, itemIndex, sessionGuid, failure);
		if (!(error instanceof VoiceAgentError) || error.reason !== 'recordingGone') throw error;
		// If it may have been deleted by an earlier request, this node has deleted it.
		if (typeof deletionOf(context, sessionGuid) !== 'number') {
			if (ifGone === 'fail') throw error;
			return { sessionGuid, deleted: true, alreadyGone: true };
		}
	}
	return { sessionGuid, deleted: true };
}

/** A redirected request was not carried out: the Base URL is wrong. */
function mayHaveDeleted(error: unknown): boolean {
	const isRedirected = error instanceof VoiceAgentError && error.reason === 'redirected';
	return mayHaveBeenCarriedOut(error) && !isRedirected;
}
