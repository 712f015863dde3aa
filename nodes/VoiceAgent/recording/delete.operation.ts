import { requireProof } from '../../shared/archiveProof';
import { statusError } from '../../shared/httpErrors';
import { parseSessionGuid } from '../../shared/sessionGuid';
import { itemsAtOnce, recording } from '../fields';
import { itemOf, operation } from '../operation';
import { request } from '../transport';
import { isListed } from './availability';
import { goneReasons, recordingPath } from './recordingPath';

const withProof = { show: { requireProof: [true] } };

export const deleteRecording = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete a recording',
	description: 'Delete a recording at the service',
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
		const path = recordingPath(sessionGuid);
		if (options.ifGone === 'fail') {
			await request(this, 'DELETE', path, { statusReasons: goneReasons });
			return [itemOf(itemIndex, { sessionGuid, deleted: true })];
		}
		const { status, isWebPage } = await request(this, 'DELETE', path, {
			acceptStatuses: [400, 404, 410],
		});
		const alreadyGone = status >= 400;
		// The specification does not show the status for an unknown GUID. A 400, or a web page that anybody may have sent,
		// counts as "gone" only if the service does not list the recording any more.
		if (alreadyGone && (status === 400 || isWebPage) && (await isListed(this, sessionGuid))) {
			throw statusError(status, { detail: `DELETE ${path} was answered with status ${status}` });
		}
		return [itemOf(itemIndex, { sessionGuid, deleted: true, ...(alreadyGone && { alreadyGone }) })];
	},
});
