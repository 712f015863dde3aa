import { invalid } from '../../errors';
import { itemOf, operation } from '../../fields/operation';
import { itemsOfSession, requireArchived } from './archive/archivedFiles';
import { aboutRecording } from './presence/availability';
import { deleteOnce } from './presence/deleteOnce';
import { downloadedBefore } from './archive/downloadedFiles';
import { findListed } from './presence/listing';
import { recording } from './recordingFields';
import { sessionGuidOf } from './sessionGuidOf';

export const deleteRecording = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete recording',
	description: 'Delete a recording from the service permanently',
	fields: [
		recording,
		{
			displayName: 'Require Proof of Archiving',
			name: 'requireProof',
			type: 'boolean',
			default: false,
			description:
				'Whether to delete the recording only if the archive has each file that the Download nodes before this one have output for it. Items with the same session GUID are checked together.',
		},
		{
			displayName: 'Proof From',
			name: 'proofFrom',
			type: 'options',
			default: 'checksum',
			displayOptions: { show: { requireProof: [true] } },
			options: [
				{
					name: 'Checksum That the Archive Reports',
					value: 'checksum',
					description: "Such as 'sha256Checksum' and 'size' of Google Drive",
				},
				{
					name: 'File Read Back From the Archive',
					value: 'file',
					description: 'This node calculates the checksum of the file in the input item',
				},
			],
		},
		{
			displayName: 'Checksum in Archive',
			name: 'archiveChecksum',
			type: 'string',
			// A missing value has a meaning of its own, or an error of its own.
			ignoreValidationDuringExecution: true,
			default: '',
			displayOptions: { show: { requireProof: [true], proofFrom: ['checksum'] } },
			placeholder: 'e.g. {{ $json.sha256Checksum }}',
			description:
				'SHA-256 that the archive reports for the stored file. Not from the output of Download, which always equals itself.',
		},
		{
			displayName: 'Size in Archive (Bytes)',
			name: 'archiveSize',
			type: 'string',
			ignoreValidationDuringExecution: true,
			default: '',
			displayOptions: { show: { requireProof: [true], proofFrom: ['checksum'] } },
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
					displayName: 'Keep Recording',
					name: 'keepRecording',
					type: 'boolean',
					default: false,
					description:
						'Whether to check the proof only. The service keeps the recording until it purges it.',
				},
			],
		},
	],
	async execute(values, itemIndex, valuesAt) {
		const sessionGuid = sessionGuidOf(this, values.recording);
		const { keepRecording } = values.options;
		if (!values.requireProof) {
			if (keepRecording) throw invalid("'Keep Recording' needs 'Require Proof of Archiving'");
			return [itemOf(itemIndex, await deleteOnce(this, itemIndex, sessionGuid))];
		}
		const items = itemsOfSession(this, sessionGuid, valuesAt);
		// The first item of a session acts for all of them.
		if (items[0]?.index !== itemIndex) return [];
		const downloaded = downloadedBefore(this, sessionGuid);
		try {
			await requireArchived(this, items, downloaded);
		} catch (error) {
			const { keptUntil } = await findListed(this, itemIndex, sessionGuid);
			throw aboutRecording(error, sessionGuid, keptUntil);
		}
		const outcome = keepRecording
			? { sessionGuid, deleted: false }
			: await deleteOnce(this, itemIndex, sessionGuid);
		const found = {
			archived: true,
			sha256: downloaded[0]?.checksum,
			bytes: Number(downloaded[0]?.size),
			archivedAt: new Date().toISOString(),
		};
		return [itemOf(itemIndex, { ...outcome, ...found })];
	},
});
