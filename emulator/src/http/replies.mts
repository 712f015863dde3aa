import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProfiledReply } from '../profile/errors.mts';
import type { Profile } from '../profile/profile.mts';
import type { OpenRecording } from '../recordings/recordings.mts';

/* Replies of the service's API as its profile shows them. */

export function sendProfiled(reply: FastifyReply, profiled: ProfiledReply): FastifyReply {
	reply.code(profiled.status).headers(profiled.headers);
	return reply.serializer((body: unknown) => String(body)).send(profiled.body);
}

/** Sends a stored file; to HEAD only what it would be. */
export function sendRecording(
	request: FastifyRequest,
	reply: FastifyReply,
	{ row, size, content }: OpenRecording,
	profile: Profile,
): FastifyReply {
	reply.headers(profile.downloadHeaders(row, size));
	if (request.method === 'HEAD') {
		// Fastify would read the whole file to send none of it.
		content.destroy();
		return reply.send(Readable.from([]));
	}
	reply.raw.once('close', () => content.destroy());
	return reply.send(content);
}
