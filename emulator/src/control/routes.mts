import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyPluginCallback } from 'fastify';
import { ServiceError } from '../errors.mts';
import { isLoopbackAddress, isLoopbackHost } from '../http/listen.mts';
import { ErrorBody, ref } from '../schema.mts';
import { controls } from './control.mts';
import type { Parts } from './parts.mts';
import type { ControlInput, ControlRow } from './row.mts';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Other machines may control the emulator with `Authorization: Bearer <token>`. */
function isAllowedByToken(header: string | undefined, token: string | undefined): boolean {
	return token !== undefined && timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`));
}

/** The controls over HTTP. This machine needs no key; another one needs the control token. */
export const controlRoutes: FastifyPluginCallback<{ parts: Parts }> = (app, { parts }, done) => {
	app.addHook('onRequest', async (request) => {
		if (isAllowedByToken(request.headers.authorization, parts.options.controlToken)) return;
		// The host check keeps out web pages that point a name of theirs to 127.0.0.1.
		if (!isLoopbackAddress(request.socket.remoteAddress) || !isLoopbackHost(request.hostname)) {
			throw new ServiceError(403, 'forbidden', 'Control is open to this machine only');
		}
	});
	// Each control checks its input itself. Here the schemas are for the OpenAPI document.
	app.setValidatorCompiler(() => () => true);

	for (const [operationId, row] of Object.entries<ControlRow>(controls)) {
		const { method, path, summary, params, body, bodyLimitBytes, reply, replyType } = row;
		const ok = replyType
			? { description: summary, content: { [replyType]: { schema: reply } } }
			: reply;
		app.route({
			method,
			url: path,
			...(bodyLimitBytes !== undefined && { bodyLimit: bodyLimitBytes }),
			schema: {
				operationId,
				tags: ['Emulator control'],
				// No API key: control is open to this machine, and to others with its own token.
				security: [],
				summary,
				...(params && { params }),
				...(body && { body: '$id' in body ? ref(body as typeof body & { $id: string }) : body }),
				response: { 200: ok, '4xx': ref(ErrorBody) },
			},
			async handler(request, response) {
				if (replyType) response.type(replyType);
				return row.answer(parts, request as ControlInput);
			},
		});
	}
	done();
};
