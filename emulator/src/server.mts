import type { Socket } from 'node:net';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
} from 'fastify';
import type { ApiKey } from './auth.mts';
import type { Calls } from './calls.mts';
import type { Clock } from './clock.mts';
import type { EmulatorControl } from './control.mts';
import { messageOf, ServiceError } from './errors.mts';
import type { Log } from './log.mts';
import type { Recordings } from './recordings.mts';
import type { RequestLog } from './requestLog.mts';
import { controlRoutes } from './routes/control.mts';
import { customerRoutes } from './routes/customer.mts';
import { namedSchemas } from './schemas.mts';

/** A request body of the service's API is small; larger ones are refused with 413. */
const BODY_LIMIT_BYTES = 64 * 1024;
/** Longest time for a client to send its whole request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Room for a percent-encoded session GUID in a path. */
const MAX_PARAM_LENGTH = 512;

type Server = ReturnType<typeof createServer>;

interface ErrorReply {
	error: { code: string; message: string; fields?: string[] };
}

/** The one shape of every refusal. */
function errorReply(code: string, message: string, fields?: readonly string[]): ErrorReply {
	return { error: { code, message, ...(fields?.length && { fields: [...fields] }) } };
}

/** Which fields a validation error is about: "to", "metadata.plan", … */
function invalidFields(error: FastifyError): string[] {
	const fields = (error.validation ?? []).map(({ instancePath, params }) => {
		const parts = instancePath.split('/').slice(1);
		const extra = params['additionalProperty'] ?? params['missingProperty'];
		if (typeof extra === 'string') parts.push(extra);
		return parts.join('.');
	});
	return [...new Set(fields.filter(Boolean))];
}

function describeValidation(error: FastifyError): string {
	const where = error.validationContext ?? 'request';
	const reasons = (error.validation ?? []).map(({ instancePath, keyword, message, params }) => {
		const path = instancePath.split('/').slice(1).join('.');
		if (keyword === 'additionalProperties') {
			return `unknown field ${JSON.stringify(params['additionalProperty'])}`;
		}
		const allowed = Array.isArray(params['allowedValues'])
			? ` (${params['allowedValues'].join(', ')})`
			: '';
		return `${path || where} ${message ?? 'is invalid'}${allowed}`;
	});
	return [...new Set(reasons)].join('; ');
}

const httpDate = (clock: Clock) => new Date(clock.now()).toUTCString();

/** For errors outside Fastify's routing; a bare HTTP parser error has no reply object. */
function refuseBrokenRequest(error: Error, socket: Socket): void {
	const code = String(Reflect.get(error, 'code'));
	if (code === 'ECONNRESET' || !socket.writable) {
		socket.destroy();
		return;
	}
	const [status, text] =
		code === 'HPE_HEADER_OVERFLOW'
			? ['431 Request Header Fields Too Large', 'The headers are too large']
			: code === 'ERR_HTTP_REQUEST_TIMEOUT'
				? ['408 Request Timeout', 'The request took too long to arrive']
				: ['400 Bad Request', 'This is not a readable HTTP request'];
	const body = JSON.stringify(errorReply('unreadable_request', text));
	socket.end(
		`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n` +
			`Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
	);
}

/**
 * Fastify compiles a serialiser for every reply of every route when it starts, which takes longer
 * than everything else together. Here each is compiled when it is used first.
 */
const buildSerializer: ReturnType<typeof SerializerSelector> = (schemas, options) => {
	const compile = SerializerSelector()(schemas, options);
	return (route) => {
		let serialize: ReturnType<typeof compile> | undefined;
		return (document) => (serialize ??= compile(route))(document);
	};
};

function createServer(clock: Clock, requestLog: RequestLog) {
	return Fastify({
		bodyLimit: BODY_LIMIT_BYTES,
		requestTimeout: REQUEST_TIMEOUT_MS,
		forceCloseConnections: 'idle',
		exposeHeadRoutes: false,
		routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
		schemaController: { compilersFactory: { buildSerializer } },
		clientErrorHandler: refuseBrokenRequest,
		frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
			requestLog.begin(request, reply);
			void reply
				.header('date', httpDate(clock))
				.code(error.statusCode ?? 400)
				.send(errorReply('bad_request', error.message));
		},
		ajv: {
			customOptions: {
				// Refuse instead of repairing: unknown fields, texts where numbers belong.
				removeAdditional: false,
				coerceTypes: false,
				allErrors: true,
				allowUnionTypes: true,
			},
		},
	}).withTypeProvider<TypeBoxTypeProvider>();
}

function acceptOnlyJson(app: FastifyInstance): void {
	const parseJson = app.getDefaultJsonParser('error', 'error');
	app.removeAllContentTypeParsers();
	app.addContentTypeParser<string>(
		'application/json',
		{ parseAs: 'string' },
		(request, body, done) => {
			// Many clients announce JSON on every request, also on a DELETE that has no body.
			if (body.length === 0) done(null, undefined);
			else parseJson(request, body, done);
		},
	);
}

function answerErrors(app: FastifyInstance, log: Log): void {
	app.setErrorHandler((error: FastifyError | ServiceError, _request, reply) => {
		if (error instanceof ServiceError) {
			return reply.code(error.status).send(errorReply(error.code, error.message, error.fields));
		}
		if (error.validation) {
			return reply
				.code(400)
				.send(errorReply('invalid_request', describeValidation(error), invalidFields(error)));
		}
		const status = error.statusCode ?? 500;
		if (status < 500) return reply.code(status).send(errorReply('bad_request', error.message));
		log.write('error', `internal error: ${messageOf(error)}`);
		return reply.code(500).send(errorReply('internal_error', 'The emulator failed; see its log'));
	});
	app.setNotFoundHandler((request, reply) =>
		reply.code(404).send(errorReply('not_found', `No endpoint ${request.method} ${request.url}`)),
	);
}

/**
 * The HTTP server with the service's API, its OpenAPI document at `/swagger/v1/swagger.json` and
 * the Swagger UI at `/swagger`; not yet listening.
 */
export async function buildServer({
	apiKeys,
	calls,
	clock,
	control,
	log,
	recordings,
	requestLog,
	version,
}: {
	apiKeys: readonly ApiKey[];
	calls: Calls;
	clock: Clock;
	control: EmulatorControl;
	log: Log;
	recordings: Recordings;
	requestLog: RequestLog;
	version: string;
}): Promise<Server> {
	const app = createServer(clock, requestLog);
	acceptOnlyJson(app);
	answerErrors(app, log);
	requestLog.attach(app);
	// Clients learn the service's time from this header, so it has to follow the movable clock.
	app.addHook('onRequest', async (_request, reply) => {
		reply.header('date', httpDate(clock));
	});
	for (const schema of namedSchemas) app.addSchema(schema);

	await app.register(swagger, {
		openapi: {
			openapi: '3.1.0',
			info: {
				title: 'Voice agent service (emulator)',
				description: 'Call recording and customer API. What is assumed is in the README.',
				version,
			},
			tags: [
				{ name: 'Calls' },
				{ name: 'Recordings' },
				{ name: 'SMS' },
				{ name: 'Emulator control', description: 'Not part of the service; loopback only' },
			],
			components: {
				securitySchemes: {
					Token: {
						type: 'apiKey',
						in: 'header',
						name: 'Token',
						description: 'The API key; the header name is case-sensitive',
					},
				},
			},
		},
		refResolver: {
			buildLocalReference: (json, _baseUri, _fragment, index) =>
				typeof json['$id'] === 'string' ? json['$id'] : `schema-${index}`,
		},
	});
	await app.register(swaggerUi, { routePrefix: '/swagger' });
	app.get('/swagger/v1/swagger.json', { schema: { hide: true } }, async () => app.swagger());
	await app.register(customerRoutes, {
		prefix: '/api/customer',
		apiKeys,
		calls,
		recordings,
	});
	await app.register(controlRoutes, { prefix: '/control', control });
	return app;
}
