import { fileType } from '../audio/formats.mts';
import { isoTime } from '../clock.mts';
import { rename } from '../shapes/naming.mts';
import { replyOf, type ShapedReply } from '../shapes/shapedReply.mts';
import type { Shapes } from '../shapes/unknowns.mts';
import type { RecordingRow, RecordingSummary } from '../store.mts';
import { type DeletedReply, type Recording } from './recordingSchema.mts';

/** What a recording says about its call. */
export function callOf(row: RecordingSummary) {
	return {
		sessionGuid: row.sessionGuid,
		to: row.to,
		from: row.from,
		startedAt: isoTime(row.startedAt),
		endedAt: isoTime(row.endedAt),
		durationSeconds: row.durationSeconds,
	};
}

export function recording(row: RecordingSummary): Recording {
	return {
		...callOf(row),
		format: row.format,
		encrypted: row.encrypted,
		sizeBytes: row.storedBytes,
	};
}

export function recordingList(
	rows: readonly RecordingSummary[],
	{ recordFields, recordDetail }: Readonly<Shapes>,
): object[] {
	const records: object[] =
		recordDetail === 'guidOnly'
			? rows.map(({ sessionGuid }) => ({ sessionGuid }))
			: rows.map(recording);
	return recordFields === 'camelCase'
		? records
		: records.map((record) => rename(record, recordFields));
}

/** What an attacker who controls the service would choose. */
const HOSTILE_FILE_NAME =
	'attachment; filename="../../../../tmp/evil.sh"; filename*=UTF-8\'\'..%2F..%2F..%2Ftmp%2Fevil%00.sh';
const HOSTILE_CONTENT_TYPE = 'application/x-sh; name="../../evil.sh"';

export function downloadHeaders(
	row: RecordingRow,
	size: number,
	shapes: Readonly<Shapes>,
): Record<string, string | number> {
	const { extension, contentType } = fileType(row.format, row.encrypted);
	const types: Record<Shapes['contentType'], string | undefined> = {
		exact: contentType,
		'octet-stream': 'application/octet-stream',
		absent: undefined,
		hostile: HOSTILE_CONTENT_TYPE,
	};
	const dispositions: Record<Shapes['fileName'], string | undefined> = {
		present: `attachment; filename="${row.sessionGuid}.${extension}"`,
		absent: undefined,
		hostile: HOSTILE_FILE_NAME,
	};
	const type = types[shapes.contentType];
	const disposition = dispositions[shapes.fileName];
	return {
		...(type && { 'content-type': type }),
		...(shapes.contentLength === 'present' && { 'content-length': size }),
		...(disposition && { 'content-disposition': disposition }),
	};
}

export function deletedReply(row: RecordingRow, { deleteReply }: Readonly<Shapes>): ShapedReply {
	const body: DeletedReply = { deleted: true, sessionGuid: row.sessionGuid };
	return replyOf(deleteReply === '204' ? '204-empty' : deleteReply, body);
}
