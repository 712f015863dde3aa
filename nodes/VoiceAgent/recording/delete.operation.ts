import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../errors';
import { itemOf, operation } from '../../fields/operation';
import { mayHaveBeenCarriedOut } from '../../service/httpErrors';
import { goneReasons, recordingPath } from '../../service/recordingPath';
import { request } from '../../service/request';
import { canonicalSessionGuid, parseSessionGuid } from '../../service/sessionGuid';
import {
	downloadedFiles,
	findArchived,
	itemsOfSession,
	notArchived,
	requireArchived,
} from './archivedFiles';
import { confirmedByList, findListed } from './availability';
import { itemsAtOnce, recording } from './recordingFields';

const withProof = { show: { requireProof: [true] } };
const withChecksum = { show: { requireProof: [true], proofFrom: ['checksum'] } };

export const deleteRecording = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a recording',
	description: 'Delete a recording at the service',
	credentials: [{ name: 'voiceAgentApi' }],
	fields: [
		recording,
		{
			displayName: 'Require Proof of Archiving',
			name: 'requireProof',
			type: 'boolean',
			default: false,
			description:
				'Whether to delete only if the archive has each file of the recording as it was downloaded. All items with the same session GUID are looked at together, and deleted once.',
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
					description: 'The checksum of the file in the input item is calculated',
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
			placeholder: "e.g. {{ $('Download').item.json.sha256 }}",
			description:
				'SHA-256 or MD5 that the Download operation has output. Leave it empty for a recording that was not there to be downloaded: then nothing is deleted, and the output says whether it is archived.',
		},
		{
			displayName: 'Checksum in Archive',
			name: 'archiveChecksum',
			type: 'string',
			ignoreValidationDuringExecution: true,
			default: '',
			displayOptions: withChecksum,
			placeholder: 'e.g. {{ $json.sha256Checksum }}',
			description: 'SHA-256 or MD5 that the archive reports for the stored file',
		},
		{
			displayName: 'Size of Download',
			name: 'downloadSize',
			type: 'string',
			ignoreValidationDuringExecution: true,
			default: '',
			displayOptions: withProof,
			placeholder: "e.g. {{ $('Download').item.json.bytes }}",
			description: 'Number of bytes that the Download operation has output',
		},
		{
			displayName: 'Size in Archive',
			name: 'archiveSize',
			type: 'string',
			ignoreValidationDuringExecution: true,
			default: '',
			displayOptions: withChecksum,
			placeholder: 'e.g. {{ $json.size }}',
			description: 'Number of bytes that the archive reports for the stored file',
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
					placeholder: "e.g. {{ $('Download').all() }}",
					description:
						'All that Download has output, in place of the checksum and size of each item. Needed if Download adds a metadata file: the recording is deleted only if the archive has both.',
				},
				{
					displayName: 'Error While Archiving',
					name: 'archiveError',
					type: 'string',
					ignoreValidationDuringExecution: true,
					default: '={{ $json.error }}',
					description:
						'Reason to give if the recording is not in the archive: the error of the node that stores it there, if it continues on errors',
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
					description: 'What to do if the service has no such recording any more',
				},
				itemsAtOnce,
				{
					displayName: 'Keep Recording',
					name: 'keepRecording',
					type: 'boolean',
					default: false,
					description:
						'Whether to only check the proof, and to leave the recording at the service until that purges it',
				},
				{
					displayName: 'Stored Checksum',
					name: 'storedChecksum',
					type: 'string',
					ignoreValidationDuringExecution: true,
					default: '',
					placeholder: 'e.g. {{ $json.appProperties.sha256 }}',
					description:
						'SHA-256 that was stored with the file when it was archived. It tells a whole file in the archive from another one when the recording is no longer there to be downloaded.',
				},
			],
		},
	],
	async execute(values, itemIndex, valuesAt) {
		const sessionGuid = parseSessionGuid(values.recording);
		const { ifGone, keepRecording } = values.options;
		if (!values.requireProof) {
			if (keepRecording) throw invalid("'Keep Recording' needs 'Require Proof of Archiving'");
			return [itemOf(itemIndex, await deleteOnce(this, itemIndex, sessionGuid, ifGone))];
		}
		const indices = await itemsOfSession(this, sessionGuid, valuesAt);
		// The first item of a session acts for all of them.
		if (indices[0] !== itemIndex) return [];
		const downloaded = downloadedFiles(indices, valuesAt);
		try {
			if (downloaded.length === 0) {
				const { listed } = await findListed(this, itemIndex, sessionGuid);
				if (listed !== 'no') throw notArchived(this, indices, valuesAt);
				if (ifGone === 'fail') throw new VoiceAgentError('recordingGone');
				const { index, ...found } = (await findArchived(this, indices, valuesAt)) ?? {};
				const archived = index !== undefined;
				const json = { sessionGuid, deleted: false, alreadyGone: true, archived, ...found };
				return [itemOf(index ?? itemIndex, json)];
			}
			await requireArchived(this, indices, valuesAt, downloaded);
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
	const unconfirmed = unconfirmedDeletions(context);
	const key = canonicalSessionGuid(sessionGuid);
	try {
		await request(context, 'DELETE', recordingPath(sessionGuid), {
			itemIndex,
			statusReasons: goneReasons,
			onFailure: (error) => mayHaveDeleted(error) && unconfirmed.add(key),
		});
	} catch (failure) {
		const mayBeDeleted = unconfirmed.has(key);
		const error = await confirmedByList(context, itemIndex, sessionGuid, failure, mayBeDeleted);
		if (!(error instanceof VoiceAgentError) || error.reason !== 'recordingGone') throw error;
		if (!mayBeDeleted) {
			if (ifGone === 'fail') throw error;
			return { sessionGuid, deleted: true, alreadyGone: true };
		}
	}
	return { sessionGuid, deleted: true };
}

/** Who redirects a request has not carried it out: the Base URL is wrong. */
function mayHaveDeleted(error: unknown): boolean {
	const isRedirected = error instanceof VoiceAgentError && error.reason === 'redirected';
	return mayHaveBeenCarriedOut(error) && !isRedirected;
}

/** The key is the context that n8n keeps for a node in an execution, so that the entry ends with the execution. */
const unconfirmedByNode = new WeakMap<object, Set<string>>();

/**
 * The recordings that a node has asked the service to delete without learning the outcome, in an earlier try of Retry On
 * Fail too. If they turn out to be gone, this node has deleted them.
 */
function unconfirmedDeletions(context: IExecuteFunctions): Set<string> {
	const node = context.getContext('node');
	const recordings = unconfirmedByNode.get(node) ?? new Set();
	unconfirmedByNode.set(node, recordings);
	return recordings;
}
