import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../errors';
import { itemOf, operation } from '../../fields/operation';
import { mayHaveBeenCarriedOut } from '../../service/httpErrors';
import { goneReasons, recordingPath } from '../../service/recordingPath';
import { request } from '../../service/request';
import { canonicalSessionGuid, parseSessionGuid } from '../../service/sessionGuid';
import { requireProof } from './archiveProof';
import { confirmedByList } from './availability';
import { itemsAtOnce, recording } from './recordingFields';

const withProof = { show: { requireProof: [true] } };

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
				'Whether to delete only if the checksum and size that the archive reports are those of the download',
		},
		{
			displayName: 'Checksum of Download',
			name: 'downloadChecksum',
			type: 'string',
			default: '',
			required: true,
			displayOptions: withProof,
			placeholder: "e.g. {{ $('Download').item.json.sha256 }}",
			description: 'SHA-256 or MD5 that the Download operation has output',
		},
		{
			displayName: 'Checksum in Archive',
			name: 'archiveChecksum',
			type: 'string',
			default: '',
			required: true,
			displayOptions: withProof,
			placeholder: 'e.g. {{ $json.sha256Checksum }}',
			description: 'SHA-256 or MD5 that the archive reports for the stored file',
		},
		{
			displayName: 'Size of Download',
			name: 'downloadSize',
			type: 'string',
			default: '',
			required: true,
			displayOptions: withProof,
			placeholder: "e.g. {{ $('Download').item.json.bytes }}",
			description: 'Number of bytes that the Download operation has output',
		},
		{
			displayName: 'Size in Archive',
			name: 'archiveSize',
			type: 'string',
			default: '',
			required: true,
			displayOptions: withProof,
			placeholder: 'e.g. {{ $json.size }}',
			description: 'Number of bytes that the archive reports for the stored file',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			placeholder: 'Add option',
			options: [
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
			],
		},
	],
	async execute({ options, ...values }, itemIndex) {
		const sessionGuid = parseSessionGuid(values.recording);
		if (values.requireProof) requireProof(values);
		const key = canonicalSessionGuid(sessionGuid);
		const unconfirmed = unconfirmedDeletions(this);
		try {
			await request(this, 'DELETE', recordingPath(sessionGuid), {
				itemIndex,
				statusReasons: goneReasons,
				onFailure: (error) => mayHaveBeenCarriedOut(error) && unconfirmed.add(key),
			});
		} catch (failure) {
			const error = await confirmedByList(this, itemIndex, sessionGuid, failure);
			if (!(error instanceof VoiceAgentError) || error.reason !== 'recordingGone') throw error;
			if (!unconfirmed.has(key)) {
				if (options.ifGone === 'fail') throw error;
				return [itemOf(itemIndex, { sessionGuid, deleted: true, alreadyGone: true })];
			}
		}
		return [itemOf(itemIndex, { sessionGuid, deleted: true })];
	},
});

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
