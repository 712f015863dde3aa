import type { FastifyPluginCallback } from 'fastify';
import { ServiceError } from '../errors.mts';
import { isLoopbackAddress, isLoopbackHost } from '../http/loopback.mts';
import { ErrorBody, ref } from '../schema.mts';
import { controls } from './control.mts';
import type { Parts } from './parts.mts';
import type { ControlInput, ControlRow } from './row.mts';

/** The controls over HTTP, for this machine only and without an API key. */
export const controlRoutes: FastifyPluginCallback<{ parts: Parts }> = (app, { parts }, done) => {
	app.addHook('onRequest', async (request) => {
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
				// No API key: control is open to this machine only.
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
