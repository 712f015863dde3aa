import type { FastifyInstance } from 'fastify';

const PAGE = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Voice agent emulator</title>
<h1>Voice agent emulator</h1>
<p>A local stand-in of the voice-agent telephony service. Its API is below <code>/api/customer</code>.
<ul>
<li><a href="/swagger">Swagger UI</a>: every endpoint, to read and to try
<li><a href="/swagger/v1/swagger.json">OpenAPI document</a>
<li><a href="/control/requests">Requests</a>, <a href="/control/deliveries">webhooks</a> and
<a href="/control/log">log</a>: what happened so far
</ul>
<p>More is in the README of the emulator.
</html>
`;

/** The page at `/`, which says what this is and where to read on, and whether it is ready. */
export function addWelcome(app: FastifyInstance): void {
	app.get('/', { schema: { hide: true } }, async (_request, reply) =>
		reply.type('text/html; charset=utf-8').send(PAGE),
	);
	// For whoever waits until the emulator takes requests. It listens last, so any answer says so.
	app.get('/ready', { schema: { hide: true } }, async () => ({ ready: true }));
}
