import { Type } from 'typebox';
import { addRecording, type AddRecordingOptions } from '../../recordings/addRecording.mts';
import { addedRecording, ledgerEntry } from '../../recordings/records.mts';
import {
	AddedRecording,
	AddRecordingRequest,
	LedgerEntry,
	TamperRequest,
} from '../../recordings/schemas.mts';
import { ref, SessionGuidParams } from '../../schema.mts';
import { control } from '../row.mts';

/** Room for `contentBase64`; larger recordings are ordered with `sizeBytes`. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

export const recordingControls = {
	/** The ledger: everything ever recorded, also what was deleted or purged since. */
	recordings: control({
		method: 'GET',
		path: '/recordings',
		summary: 'The ledger: everything ever recorded, and whether it is stored, deleted or purged',
		reply: Type.Array(ref(LedgerEntry)),
		run: ({ store }) => store.ledger().map(ledgerEntry),
	}),
	/**
	 * Stores a recording without a call: given bytes, or synthetic audio of a given length
	 * (default 5 s) or of about a given size.
	 *
	 * @throws ServiceError 400 for contradicting options, 409 for a session GUID that is stored
	 */
	addRecording: control({
		method: 'POST',
		path: '/recordings',
		summary: 'Store a recording without a call',
		body: AddRecordingRequest,
		bodyLimitBytes: BODY_LIMIT_BYTES,
		reply: ref(AddedRecording),
		args: ({ content, ...body }: AddRecordingOptions = {}) => ({ body, content }),
		async run(parts, { body: { contentBase64, ...options }, content }) {
			const bytes = contentBase64 === undefined ? content : Buffer.from(contentBase64, 'base64');
			return addedRecording(
				await addRecording(parts, bytes ? { ...options, content: bytes } : options),
			);
		},
	}),
	/** Damages the stored file. */
	tamper: control({
		method: 'POST',
		path: '/recordings/:sessionGuid/tamper',
		summary: 'Damage a stored file',
		params: SessionGuidParams,
		body: TamperRequest,
		reply: ref(AddedRecording),
		args: (sessionGuid: string, change: TamperRequest) => ({
			params: { sessionGuid },
			body: change,
		}),
		async run({ recordings, log }, { params: { sessionGuid }, body }) {
			const row = await recordings.tamper(sessionGuid, body);
			log.write('info', 'stored file altered on purpose', sessionGuid);
			return addedRecording(row);
		},
	}),
};
