import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { fileType } from '../audio/audio.mts';
import type { Call, MakeCallReply } from '../calls/schemas.mts';
import type { RecordingRow } from '../database.mts';
import type { Profile, ProfiledReply } from '../profile/profile.mts';
import type { OpenRecording } from '../recordings/recordings.mts';
import type { DeletedReply } from '../recordings/schemas.mts';
import { named } from '../schema.mts';
import { replyOf, type ShapedReply } from '../shapes/spelling.mts';
import type { ShapeBoard } from '../shapes/shapes.mts';
import type { Shapes } from '../shapes/unknowns.mts';

/* Replies of the service's API in the shapes that are chosen. The list has a file of its own. */

export function makeCallReply(
	call: Pick<Call, 'sessionGuid' | 'to'>,
	shapes: Readonly<Shapes>,
): ShapedReply {
	const body: MakeCallReply = { sessionGuid: call.sessionGuid, status: 'queued', to: call.to };
	return replyOf(shapes.makeCallReply, body);
}

export function deletedReply(row: RecordingRow, { deleteReply }: Readonly<Shapes>): ShapedReply {
	const body: DeletedReply = { deleted: true, sessionGuid: row.sessionGuid };
	return replyOf(deleteReply === '204' ? '204-empty' : deleteReply, body);
}

export const SmsRequest = named(
	'SmsRequest',
	Type.Object({}, { additionalProperties: true, description: 'Not yet defined by the service' }),
);

export function smsReply({ sms }: Readonly<Shapes>): ShapedReply {
	return { status: Number(sms), body: sms === '200' ? { status: 'queued' } : undefined };
}

/** Sends an answer as a service was seen to give it. */
export function sendProfiled(reply: FastifyReply, profiled: ProfiledReply): FastifyReply {
	reply.code(profiled.status).headers(profiled.headers);
	return reply.serializer((body: unknown) => String(body)).send(profiled.body);
}

/** What an attacker who controls the service would choose. */
const HOSTILE_FILE_NAME =
	'attachment; filename="../../../../tmp/evil.sh"; filename*=UTF-8\'\'..%2F..%2F..%2Ftmp%2Fevil%00.sh';
const HOSTILE_CONTENT_TYPE = 'application/x-sh; name="../../evil.sh"';

export function downloadHeaders(
	row: RecordingRow,
	size: number,
	shapes: Readonly<Shapes>,
	profile?: Profile,
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
	const type = profile?.contentType() ?? types[shapes.contentType];
	const disposition = dispositions[shapes.fileName];
	return {
		...(type && { 'content-type': type }),
		...(shapes.contentLength === 'present' && { 'content-length': size }),
		...(disposition && { 'content-disposition': disposition }),
	};
}

/** Sends a stored file; to HEAD only what it would be. */
export function sendRecording(
	request: FastifyRequest,
	reply: FastifyReply,
	{ row, size, content }: OpenRecording,
	{ current, profile }: ShapeBoard,
): FastifyReply {
	reply.headers(downloadHeaders(row, size, current(), profile));
	if (request.method === 'HEAD') {
		// Fastify would read the whole file to send none of it.
		content.destroy();
		return reply.send(Readable.from([]));
	}
	reply.raw.once('close', () => content.destroy());
	return reply.send(content);
}
