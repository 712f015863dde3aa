import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.mts';

/** Which methods each path takes, for requests that no route fits. */
export interface RouteTable {
	/**
	 * Answers OPTIONS with the methods.
	 *
	 * @throws ServiceError 405 for another method, 404 for an unknown path
	 */
	refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

/** A path in which `:name` stands for one segment and `*` for any text. */
function fits(pattern: string, path: string): boolean {
	const escaped = pattern.replace(/[.+?^$()[\]{}|\\]/g, '\\$&');
	return new RegExp(`^${escaped.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`, 's').test(path);
}

/** Call it before routes are added. */
export function createRouteTable(app: FastifyInstance): RouteTable {
	const methods = new Map<string, Set<string>>();
	app.addHook('onRoute', ({ method, url }) => {
		methods.set(url, new Set([...(methods.get(url) ?? []), ...[method].flat()]));
	});

	return {
		refuse(request, reply) {
			const { method, url } = request;
			const [path = ''] = url.split('?', 1);
			const allowed = [...methods].flatMap(([pattern, known]) =>
				fits(pattern, path) ? [...known] : [],
			);
			if (allowed.length === 0) {
				throw new ServiceError(404, 'not_found', `No endpoint ${method} ${url}`);
			}
			const allow = [...new Set([...allowed, 'OPTIONS'])].sort().join(', ');
			reply.header('allow', allow);
			if (method === 'OPTIONS') return reply.code(204).send();
			throw new ServiceError(405, 'method_not_allowed', `${path} takes ${allow}, not ${method}`);
		},
	};
}
