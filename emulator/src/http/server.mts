import type { Socket } from 'node:net';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
} from 'fastify';
import type { TSchema } from 'typebox';
import type { Clock } from '../clock.mts';
import type { Parts } from '../control/parts.mts';
import { controlRoutes } from '../control/routes.mts';
import { messageOf, type Refusal, ServiceError } from '../errors.mts';
import { attachFaults } from '../faults/attach.mts';
import type { Log } from '../logs/log.mts';
import { isOwnPage, type RequestLog } from '../logs/requestLog.mts';
import type { ShapeBoard } from '../profile/board.mts';
import { answersOf } from '../profile/profile.mts';
import { assumedShapes, profileOf } from '../profile/unknowns.mts';
import { isDeeperThan, MAX_DEPTH, requireValid } from '../validation.mts';
import { customerRoutes } from './customerRoutes.mts';
import { addDocument } from './openApi.mts';
import { sendProfiled } from './replies.mts';
import { createRouteTable } from './routeTable.mts';
import { createStorageLinks, storageRoutes } from './storageRoutes.mts';
import { addWelcome } from './welcome.mts';

/** Request bodies of the service's API are small. Larger ones are refused with 413. */
const BODY_LIMIT_BYTES = 64 * 1024;
/** Longest time for a client to send its whole request, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** Room for a percent-encoded session GUID in a path. */
const MAX_PARAM_LENGTH = 512;

type Server = ReturnType<typeof createServer>;

/** What the emulator itself answers: not as the service, but as the document says. */
const ownProfile = answersOf(profileOf(assumedShapes));

/** Sends every refusal as the profile shows it. Control has its own. */
function refuse(
	request: FastifyRequest,
	reply: FastifyReply,
	shapes: ShapeBoard,
	refusal: Refusal,
): FastifyReply {
	const profile = isOwnPage(request.raw.url ?? '') ? ownProfile : shapes.profile;
	return sendProfiled(reply, profile.error(refusal));
}

const httpDate = (clock: Clock) => new Date(clock.now()).toUTCString();

/** What to answer if the HTTP parser refuses a request, by the code of its error. */
const parserRefusals: Partial<Record<string, { status: string; message: string }>> = {
	HPE_HEADER_OVERFLOW: {
		status: '431 Request Header Fields Too Large',
		message: 'The headers are too large',
	},
	ERR_HTTP_REQUEST_TIMEOUT: {
		status: '408 Request Timeout',
		message: 'The request took too long to arrive',
	},
};

/** Answers what the HTTP parser refuses, for which Fastify has no reply object. */
export function refuseBrokenRequest(error: Error, socket: Socket, log: Log): void {
	const code = String(Reflect.get(error, 'code'));
	if (code === 'ECONNRESET' || !socket.writable) {
		socket.destroy();
		return;
	}
	const { status, message } = parserRefusals[code] ?? {
		status: '400 Bad Request',
		message: 'This is not a readable HTTP request',
	};
	// This never became a request, so the request log does not have it.
	log.write('warn', `received something that is not a readable request (${code})`);
	const refusal = { status: 400, code: 'unreadable_request', message };
	const { body = '' } = ownProfile.error(refusal);
	socket.end(
		`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n` +
			`Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
	);
}

/**
 * Compiles each serializer when it is first used. Fastify would compile all of them at the start,
 * which takes longer than everything else together.
 */
const buildSerializer: ReturnType<typeof SerializerSelector> = (schemas, options) => {
	const compile = SerializerSelector()(schemas, options);
	return (route) => {
		let serialize: ReturnType<typeof compile> | undefined;
		return (document) => (serialize ??= compile(route))(document);
	};
};

function createServer(clock: Clock, log: Log, requestLog: RequestLog, shapes: ShapeBoard) {
	return Fastify({
		bodyLimit: BODY_LIMIT_BYTES,
		requestTimeout: REQUEST_TIMEOUT_MS,
		forceCloseConnections: 'idle',
		routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
		schemaController: { compilersFactory: { buildSerializer } },
		clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket, log),
		frameworkErrors: (error, request: FastifyRequest, reply: FastifyReply) => {
			requestLog.begin(request, reply);
			void refuse(request, reply.header('date', httpDate(clock)), shapes, {
				status: error.statusCode ?? 400,
				code: 'bad_request',
				message: error.message,
			});
		},
	}).withTypeProvider<TypeBoxTypeProvider>();
}

/** Checks requests the way options and controls are checked: with the same words in refusals. */
function checkRequests(app: FastifyInstance): void {
	app.setValidatorCompiler<TSchema & { $ref?: string }>(({ schema, httpPart }) => {
		const id = schema.$ref?.replace('#', '');
		const target = id === undefined ? schema : (app.getSchema(id) as TSchema);
		return (value) => {
			try {
				requireValid(target, value, httpPart);
				return { value };
			} catch (error) {
				return { error: error as ServiceError };
			}
		};
	});
}

function acceptOnlyJson(app: FastifyInstance): void {
	const parseJson = app.getDefaultJsonParser('error', 'error');
	app.removeAllContentTypeParsers();
	app.addContentTypeParser<string>(
		'application/json',
		{ parseAs: 'string' },
		(request, body, done) => {
			// Many clients announce JSON on every request, even on a DELETE without a body.
			if (body.length === 0) done(null, undefined);
			else
				parseJson(request, body, (error, value: unknown) => {
					if (error || !isDeeperThan(value)) return done(error, value);
					const message = `The body is nested deeper than ${MAX_DEPTH} levels`;
					done(new ServiceError(400, 'invalid_request', message));
				});
		},
	);
}

function answerErrors(app: FastifyInstance, log: Log, shapes: ShapeBoard): void {
	function refusalOf(error: FastifyError | ServiceError): Refusal {
		if (error instanceof ServiceError) return error;
		const { statusCode = 500, message } = error;
		if (statusCode < 500) return { status: statusCode, code: 'bad_request', message };
		log.write('error', `internal error: ${messageOf(error)}`);
		return {
			status: 500,
			code: 'internal_error',
			message: 'The emulator failed; see its log',
		};
	}
	app.setErrorHandler((error: FastifyError | ServiceError, request, reply) =>
		refuse(request, reply, shapes, refusalOf(error)),
	);
}

/** Answers what is about neither recordings nor calls, such as the API document, as it was seen. */
function answerAsSeen(app: FastifyInstance, shapes: ShapeBoard): void {
	if (!shapes.seen) return;
	app.addHook('onRequest', async (request, reply: FastifyReply) => {
		const [path = ''] = request.url.split('?', 1);
		const seen = shapes.profile.other(request.method, path);
		return seen && sendProfiled(reply, seen);
	});
}

/** Builds the HTTP server with the service's API, control and Swagger UI, before it listens. */
export async function buildServer(parts: Parts): Promise<Server> {
	const { calls, clock, faults, keyring, log, recordings, requestLog, shapes } = parts;
	const app = createServer(clock, log, requestLog, shapes);
	checkRequests(app);
	acceptOnlyJson(app);
	answerErrors(app, log, shapes);
	const routeTable = createRouteTable(app);
	app.setNotFoundHandler(routeTable.refuse);
	requestLog.attach(app);
	// Clients read the service's time from this header, so it has to follow the movable clock.
	app.addHook('onRequest', async (_request, reply) => {
		reply.header('date', httpDate(clock));
	});
	answerAsSeen(app, shapes);
	attachFaults(app, { faults, clock, log, requestLog, shapes });
	addWelcome(app);
	await addDocument(app);
	const links = createStorageLinks(clock);
	await app.register(customerRoutes, {
		prefix: '/api/customer',
		calls,
		keyring,
		links,
		recordings,
		routeTable,
		shapes,
	});
	await app.register(storageRoutes, { prefix: '/storage', links, recordings, shapes });
	await app.register(controlRoutes, { prefix: '/control', parts });
	return app;
}
