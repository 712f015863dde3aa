import { fileType } from './audio/formats.mts';
import { isoTime } from './clock.mts';
import type {
	AddedRecording,
	Call,
	CallEndBody,
	CallStartBody,
	DeletedReply,
	ErrorBody,
	LedgerEntry,
	MakeCallReply,
	Recording,
} from './schemas.mts';
import type { RecordingRow, RecordingSummary } from './store.mts';
import type { Shapes } from './unknowns.mts';

/*
 * How the emulator shows what it knows. Every body and header whose shape the service
 * specification leaves open is built here (the pages of a list: in listReply.mts) and nowhere else.
 */

/** A status and, unless the body is empty, a body for JSON. */
export interface ShapedReply {
	status: number;
	body?: unknown;
}

/** Shapes such as `202-empty`: a status, and whether there is a body. */
function replyOf(shape: string, body: unknown): ShapedReply {
	const [status, rest] = shape.split('-');
	return { status: Number(status), ...(rest !== 'empty' && { body }) };
}

type Naming = Shapes['recordFields'];

/** Names here are camelCase; an object inside keeps its own names. */
function rename(record: object, naming: Naming): Record<string, unknown> {
	const newName: Record<Naming, (name: string) => string> = {
		camelCase: (name) => name,
		PascalCase: (name) => name.charAt(0).toUpperCase() + name.slice(1),
		snake_case: (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
	};
	return Object.fromEntries(
		Object.entries(record).map(([name, value]) => [newName[naming](name), value as unknown]),
	);
}

/* ── recordings ─────────────────────────────────────────────────────────────────────────────── */

export function recording(row: RecordingSummary): Recording {
	return {
		sessionGuid: row.sessionGuid,
		to: row.to,
		from: row.from,
		startedAt: isoTime(row.startedAt),
		endedAt: isoTime(row.endedAt),
		durationSeconds: row.durationSeconds,
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

/** Such as an attacker at the service would choose them. */
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

/* ── calls, messages and refusals ───────────────────────────────────────────────────────────── */

/** The service's spelling of a new session GUID, given as a lower-case UUID. */
export function sessionGuid(uuid: string, shape: Shapes['sessionGuid']): string {
	const spell: Record<Shapes['sessionGuid'], () => string> = {
		lowerCase: () => uuid,
		upperCase: () => uuid.toUpperCase(),
		braces: () => `{${uuid}}`,
		noHyphens: () => uuid.replaceAll('-', ''),
	};
	return spell[shape]();
}

export function makeCallReply(
	call: Pick<Call, 'sessionGuid' | 'to'>,
	shapes: Readonly<Shapes>,
): ShapedReply {
	const body: MakeCallReply = { sessionGuid: call.sessionGuid, status: 'queued', to: call.to };
	return replyOf(shapes.makeCallReply, body);
}

export function smsReply({ sms }: Readonly<Shapes>): ShapedReply {
	return { status: Number(sms), body: sms === '200' ? { status: 'queued' } : undefined };
}

export interface Refusal {
	status: number;
	code: string;
	message: string;
	fields?: readonly string[] | undefined;
}

/** @returns the body, and its type where it is not JSON */
export function errorBody(
	{ status, code, message, fields }: Refusal,
	shape: Shapes['errorBody'],
): { body: unknown; contentType?: string } {
	const detail = { code, message, ...(fields?.length && { fields: [...fields] }) };
	switch (shape) {
		case 'nested':
			return { body: { error: detail } satisfies ErrorBody };
		case 'flat':
			return { body: detail, contentType: 'application/json; charset=utf-8' };
		case 'problem':
			// RFC 9457, as .NET services send it.
			return {
				body: { type: 'about:blank', title: code, status, detail: message },
				contentType: 'application/problem+json',
			};
		case 'text':
			return { body: message, contentType: 'text/plain; charset=utf-8' };
		case 'html':
			return {
				body: `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`,
				contentType: 'text/html; charset=utf-8',
			};
		case 'empty':
			return { body: '', contentType: 'text/plain; charset=utf-8' };
	}
}

/* ── webhooks ───────────────────────────────────────────────────────────────────────────────── */

export function callStartBody(call: Call): CallStartBody {
	return {
		event: 'CallStart',
		sessionGuid: call.sessionGuid,
		to: call.to,
		from: call.from,
		startedAt: call.startedAt,
		...(call.metadata && { metadata: call.metadata }),
	};
}

export function callEndBody(call: Call & { endedAt: string }): CallEndBody {
	return {
		event: 'CallEnd',
		sessionGuid: call.sessionGuid,
		to: call.to,
		from: call.from,
		startedAt: call.startedAt,
		endedAt: call.endedAt,
		durationSeconds: call.durationSeconds ?? 0,
		recorded: call.recorded,
		...(call.metadata && { metadata: call.metadata }),
	};
}

/** CallEnd for a recording whose call the emulator may not know. */
export function callEndBodyOfRecording(row: RecordingRow): CallEndBody {
	return {
		event: 'CallEnd',
		sessionGuid: row.sessionGuid,
		to: row.to,
		from: row.from,
		startedAt: isoTime(row.startedAt),
		endedAt: isoTime(row.endedAt),
		durationSeconds: row.durationSeconds,
		recorded: true,
	};
}

export interface WebhookPayload {
	contentType: string;
	/** What is sent, before it becomes text. */
	fields: Record<string, unknown>;
	text: string;
}

/** The same event in the shape that is in force. */
export function webhookPayload(
	event: CallStartBody | CallEndBody,
	shape: Shapes['webhookBody'],
): WebhookPayload {
	if (shape === 'form') return asForm(rename(event, 'camelCase'));
	const { event: name, ...data } = event;
	const bodies: Record<Exclude<Shapes['webhookBody'], 'form'>, () => Record<string, unknown>> = {
		flat: () => ({ ...event }),
		nested: () => ({ event: name, data }),
		PascalCase: () => rename(event, 'PascalCase'),
	};
	return asJson(bodies[shape]());
}

/** A body that was given, so only its encoding follows the shape. */
export function givenPayload(
	body: Record<string, unknown>,
	shape: Shapes['webhookBody'],
): WebhookPayload {
	return shape === 'form' ? asForm(body) : asJson(body);
}

function asJson(fields: Record<string, unknown>): WebhookPayload {
	return { contentType: 'application/json', fields, text: JSON.stringify(fields) };
}

/** Form fields are texts: null is an empty one, an object is written as JSON. */
function asForm(body: Record<string, unknown>): WebhookPayload {
	const fields = Object.fromEntries(
		Object.entries(body).map(([name, value]): [string, string] => [
			name,
			typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''),
		]),
	);
	return {
		contentType: 'application/x-www-form-urlencoded',
		fields,
		text: new URLSearchParams(fields).toString(),
	};
}

/* ── emulator control ───────────────────────────────────────────────────────────────────────── */

export function ledgerEntry(row: RecordingRow): LedgerEntry {
	const { sizeBytes: _stored, ...shown } = recording(row);
	return {
		...shown,
		plainBytes: row.plainBytes,
		plainSha256: row.plainSha256,
		storedBytes: row.storedBytes,
		storedSha256: row.storedSha256,
		state: row.state,
		stateSince: isoTime(row.stateSince),
	};
}

export function addedRecording(row: RecordingRow): AddedRecording {
	return {
		sessionGuid: row.sessionGuid,
		format: row.format,
		encrypted: row.encrypted,
		plainBytes: row.plainBytes,
		plainSha256: row.plainSha256,
		storedBytes: row.storedBytes,
		storedSha256: row.storedSha256,
	};
}
