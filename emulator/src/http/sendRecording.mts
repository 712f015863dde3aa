import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenRecording } from '../recordings/recordings.mts';
import { downloadHeaders } from '../recordings/replies.mts';
import type { Shapes } from '../shapes/unknowns.mts';

/** Sends a stored file; to HEAD only what it would be. */
export function sendRecording(
	request: FastifyRequest,
	reply: FastifyReply,
	{ row, size, content }: OpenRecording,
	shapes: Readonly<Shapes>,
): FastifyReply {
	reply.headers(downloadHeaders(row, size, shapes));
	if (request.method === 'HEAD') {
		// Fastify would read the whole file to send none of it.
		content.destroy();
		return reply.send(Readable.from([]));
	}
	reply.raw.once('close', () => content.destroy());
	return reply.send(content);
}
