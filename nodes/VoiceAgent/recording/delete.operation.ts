import { invalid } from '../../errors';
import { optionsField } from '../../fields/field';
import { itemOf, operation } from '../../fields/operation';
import { canonicalSessionGuid } from '../../service/sessionGuid';
import { itemsOfSession, requireArchived } from './archive/archivedFiles';
import { stepsTo, valueIn } from './archive/downloadedFiles';
import { aboutRecording } from './presence/availability';
import { deleteOnce } from './presence/deleteOnce';
import { findListed } from './presence/listing';
import { recording, sessionGuidOf } from './recordingFields';

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
			default: true,
			description:
				'Whether to delete the recording only if the archive has each file that the Download nodes before this one have output for it. The proof is what the archive says of the input item: its checksum and size, or the file as another node has read it back.',
		},
		optionsField([
			{
				displayName: 'Keep Recording',
				name: 'keepRecording',
				type: 'boolean',
				default: false,
				description: 'Whether to only check the proof, and leave the purge to the service',
			},
		]),
	],
	async execute(values, itemIndex, valuesAt) {
		const { keepRecording } = values.options;
		if (!values.requireProof) {
			if (keepRecording) throw invalid("'Keep Recording' needs 'Require Proof of Archiving'");
			const sessionGuid = sessionGuidOf(this, values.recording);
			return [itemOf(itemIndex, await deleteOnce(this, itemIndex, sessionGuid))];
		}
		// The items of archive nodes do not name the recording, and those of a ledger in another spelling.
		const guidAt = (index: number) => {
			const downloaded = valueIn(stepsTo(this, index)[0], 'sessionGuid');
			const guid = sessionGuidOf(this, valuesAt(index).recording || downloaded);
			const isSame = canonicalSessionGuid(String(downloaded)) === canonicalSessionGuid(guid);
			return isSame ? String(downloaded) : guid;
		};
		const sessionGuid = guidAt(itemIndex);
		const items = itemsOfSession(this, sessionGuid, guidAt);
		// The first item of a session acts for all of them.
		if (items[0] !== itemIndex) return [];
		const proven = await requireArchived(this, sessionGuid, items).catch(async (error) => {
			const { keptUntil } = await findListed(this, itemIndex, sessionGuid);
			throw aboutRecording(error, sessionGuid, keptUntil);
		});
		const outcome = keepRecording
			? { sessionGuid, deleted: false }
			: await deleteOnce(this, itemIndex, sessionGuid);
		const found = {
			archived: true,
			sha256: proven.checksum,
			bytes: Number(proven.size),
			archivedAt: new Date().toISOString(),
		};
		return [itemOf(itemIndex, { ...outcome, ...found })];
	},
});
