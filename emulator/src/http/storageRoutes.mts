import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Clock } from '../clock.mts';
import { ServiceError } from '../errors.mts';
import type { ShapeBoard } from '../profile/board.mts';
import type { Hop } from '../profile/profile.mts';
import type { Recordings } from '../recordings/recordings.mts';
import { SessionGuidParams } from '../schema.mts';
import { sendRecording } from './replies.mts';

/** How long a link can be used, in milliseconds. */
const LINK_LASTS_MS = 60_000;

/** What a link carries in its query. */
const LinkQuery = Type.Object({
	expires: Type.Optional(Type.String()),
	signature: Type.Optional(Type.String()),
	/** How many redirects it has led through. */
	hops: Type.Optional(Type.String()),
});

/** Signs links, as services do that keep files in the storage of a cloud. */
export interface StorageLinks {
	/** Where a download is redirected to first; undefined if it is not. */
	redirect(request: FastifyRequest, sessionGuid: string, hops: readonly Hop[]): Hop | undefined;
	isValid(sessionGuid: string, query: { expires?: string; signature?: string }): boolean;
}

export function createStorageLinks(clock: Clock): StorageLinks {
	const secret = randomBytes(32);
	const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
	return {
		redirect(request, sessionGuid, hops) {
			const [first] = hops;
			if (!first) return undefined;
			const expires = String(clock.now() + LINK_LASTS_MS);
			const signature = sign(`${sessionGuid} ${expires}`);
			const path = `/storage/${encodeURIComponent(sessionGuid)}?expires=${expires}&signature=${signature}`;
			return { status: first.status, location: locationLike(first, request, `${path}&hops=1`) };
		},
		isValid(sessionGuid, { expires = '', signature = '' }) {
			const expected = Buffer.from(sign(`${sessionGuid} ${expires}`));
			const given = Buffer.from(signature);
			const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
			return isOurs && Number(expires) > clock.now();
		},
	};
}

/** A path of this server, as the location of a hop stands: with an origin, or without. */
function locationLike({ location }: Hop, request: FastifyRequest, path: string): string {
	const isAbsolute = /^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(location);
	if (isAbsolute) return `${otherOrigin(request)}${path}`;
	const isQuery = location.startsWith('?') && request.url.startsWith('/storage/');
	return isQuery ? path.slice(path.indexOf('?')) : path;
}

/** The same port under the other name of this machine, which is another origin to clients. */
function otherOrigin({ protocol, host }: FastifyRequest): string {
	const url = new URL(`${protocol}://${host}`);
	url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
	return url.origin;
}

/** The storage behind the links. It asks for no API key; the request log shows whether one came. */
export const storageRoutes: FastifyPluginCallbackTypebox<{
	links: StorageLinks;
	recordings: Recordings;
	shapes: ShapeBoard;
}> = (app, { links, recordings, shapes }, done) => {
	app.get(
		'/:sessionGuid',
		{ schema: { hide: true, params: SessionGuidParams, querystring: LinkQuery } },
		async (request, reply) => {
			const { params, query, url } = request;
			const { sessionGuid } = params;
			if (!links.isValid(sessionGuid, query)) {
				throw new ServiceError(403, 'link_refused', 'The link is not valid, or no longer');
			}
			const { profile } = shapes;
			const passed = Number(query.hops ?? 0);
			const hop = profile.hops[passed];
			if (hop) {
				const next = url.replace(/hops=\d+/, `hops=${passed + 1}`);
				return reply.redirect(locationLike(hop, request, next), hop.status);
			}
			const recording = await recordings.open(sessionGuid);
			return sendRecording(request, reply, recording, profile);
		},
	);
	done();
};
