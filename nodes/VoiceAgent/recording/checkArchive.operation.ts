import { operation, outputItem } from '../../fields/operation';
import { requireProof, rowOf, sessionOf } from './archive/session';
import { noteDone } from './presence/done';

export const checkArchive = operation({
	name: 'Check Archive',
	value: 'checkArchive',
	action: 'Check archive for recording',
	description: 'Check that the archive has what the Download nodes before this one have output',
	usesAccount: false,
	fields: [],
	async execute(_values, itemIndex) {
		const session = sessionOf(this, itemIndex);
		// The first item of a session is checked for all of them.
		if (session.itemIndexes[0] !== itemIndex) return [];
		// Whether it is known to be a recording matters to Delete only.
		const archived = await requireProof(this, session, { allowUnverified: true });
		const isVerified = archived.files.every((file) => file.isVerified);
		if (isVerified) await noteDone(this, session.sessionGuid);
		const row = rowOf(session.sessionGuid, archived, { status: 'stored' });
		// Each item goes on, because Delete wants to see all files of the session.
		return session.itemIndexes.map((index) => outputItem(index, row));
	},
});
