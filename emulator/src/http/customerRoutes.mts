import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { authorize, type Keyring } from '../auth/auth.mts';
import type { Permission } from '../auth/permissions.mts';
import type { Calls } from '../calls/calls.mts';
import { MakeCallReply, MakeCallRequest } from '../calls/schemas.mts';
import { ServiceError } from '../errors.mts';
import { GUID, type ProfiledReply } from '../profile/profile.mts';
import { inOrder, listReply } from '../recordings/listReply.mts';
import type { Recordings } from '../recordings/recordings.mts';
import { DeletedReply, RecordingList } from '../recordings/schemas.mts';
import { ErrorBody, ref, SessionGuidParams } from '../schema.mts';
import type { ShapeBoard } from '../shapes/shapes.mts';
import type { ShapedReply } from '../shapes/spelling.mts';
import { assumedShapes } from '../shapes/unknowns.mts';
import {
	deletedReply,
	makeCallReply,
	sendProfiled,
	sendRecording,
	smsReply,
	SmsRequest,
} from './replies.mts';
import type { RouteTable } from './routeTable.mts';
import type { StorageLinks } from './storageRoutes.mts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** What the API key must be allowed to do. */
		permission?: Permission;
	}
}

const error = (description: string) => Type.Unsafe({ ...ref(ErrorBody), description });
const refusals = {
	401: error('The Token header is missing, misspelled, or holds an invalid key'),
	403: error('The key is valid but lacks permission for the action'),
};
const notFound = { 404: error('Nothing is stored under this sessionGuid; status assumed') };
const badRequest = { 400: error('The request is not as described; names the fields') };

/** Note on replies that follow the shapes. The document shows the assumed ones. */
const assumed = 'Status and body are assumptions; the emulator can be told to answer otherwise.';

const audioFile = { schema: Type.String({ format: 'binary' }) };

/** The service's API, as the specification's section "Endpoints" lists it. */
export const customerRoutes: FastifyPluginCallbackTypebox<{
	calls: Calls;
	keyring: Keyring;
	links: StorageLinks;
	recordings: Recordings;
	routeTable: RouteTable;
	shapes: ShapeBoard;
}> = (app, { calls, keyring, links, recordings, routeTable, shapes }, done) => {
	app.addHook('onRequest', async (request) => {
		authorize(request.raw.rawHeaders, keyring.all(), request.routeOptions.config.permission);
	});
	app.setErrorHandler((error, request, reply) => {
		const seen = error instanceof ServiceError ? profiledRefusal(error, request) : undefined;
		if (seen) return sendProfiled(reply as FastifyReply, seen);
		const isUnknownGuid = error instanceof ServiceError && error.code === 'recording_not_found';
		if (!isUnknownGuid) throw error;
		throw new ServiceError(Number(shapes.current().unknownGuid), error.code, error.message);
	});
	// With a handler of its own, unknown paths below the API ask for a key as known ones do.
	app.setNotFoundHandler(routeTable.refuse);
	const security = [{ Token: [] }];

	/** Sends bodies that the serializer of the route does not know. */
	function asJson(reply: FastifyReply): FastifyReply {
		return reply.type('application/json; charset=utf-8').serializer(JSON.stringify);
	}

	/** The refusal as the service was seen to give it. */
	function profiledRefusal(
		{ status, code }: ServiceError,
		{ method, params, raw }: FastifyRequest,
	): ProfiledReply | undefined {
		const { profile } = shapes;
		if (status === 401) return profile?.refusal(raw.headers.token ? 'wrongKey' : 'noKey');
		if (code !== 'recording_not_found') return undefined;
		const { sessionGuid } = params as { sessionGuid: string };
		const seen = method === 'DELETE' ? profile?.refusal('deleteAgain', sessionGuid) : undefined;
		const kind = GUID.test(sessionGuid) ? 'unknownGuid' : 'malformedGuid';
		return seen ?? profile?.refusal(kind, sessionGuid);
	}

	/** Sends a reply whose status and body the specification leaves open. */
	function answer(reply: FastifyReply, { status, body }: ShapedReply): FastifyReply {
		return reply.code(status).send(body);
	}

	app.post(
		'/makecall',
		{
			config: { permission: 'makeCall' },
			schema: {
				operationId: 'makeCall',
				tags: ['Calls'],
				security,
				summary: 'Initiate outbound call',
				description: `Connects a recipient with the customer's AI voice agent. ${assumed}`,
				body: ref(MakeCallRequest),
				response: { 200: ref(MakeCallReply), ...badRequest, ...refusals },
			},
		},
		async (request, reply) => {
			const call = calls.place(request.body);
			const seen = shapes.profile?.callPlaced(call);
			if (seen) return sendProfiled(reply as FastifyReply, seen);
			return answer(reply as FastifyReply, makeCallReply(call, shapes.current()));
		},
	);

	app.get(
		'/recordings',
		{
			config: { permission: 'listRecordings' },
			schema: {
				operationId: 'listRecordings',
				tags: ['Recordings'],
				security,
				summary: 'List recordings',
				description: `Everything that is stored, oldest end of call first. ${assumed}`,
				response: { 200: ref(RecordingList), ...refusals },
			},
		},
		async (request, reply: FastifyReply) => {
			const rows = await recordings.list();
			const now = shapes.current();
			const address = `${request.protocol}://${request.host}${request.url.replace(/\?.*$/s, '')}`;
			const query = request.query as Record<string, unknown>;
			const ordered = inOrder(rows, now.listOrder);
			const seen = shapes.profile?.list({ rows: ordered, query, address });
			if (seen) return sendProfiled(reply, seen);
			const { status, body, link } = listReply(rows, now, query, address);
			if (status === 204) return reply.code(status).send();
			if (link !== undefined) reply.header('link', link);
			const isAssumed = (['list', 'emptyList', 'recordFields', 'recordDetail'] as const).every(
				(name) => now[name] === assumedShapes[name],
			);
			// The route's serializer is fast, but knows only the assumed shape.
			return (isAssumed ? reply : asJson(reply as FastifyReply)).send(body);
		},
	);

	app.get(
		'/recordings/:sessionGuid',
		{
			config: { permission: 'downloadRecording' },
			schema: {
				operationId: 'downloadRecording',
				tags: ['Recordings'],
				security,
				summary: 'Download a recording',
				description:
					'The plain audio file, or the encrypted file (.enc) when a password was set. Does not affect the retention of 7 days.',
				params: SessionGuidParams,
				response: {
					200: {
						description: 'The stored file',
						content: {
							'audio/ogg': audioFile,
							'audio/mpeg': audioFile,
							'audio/wav': audioFile,
							'application/octet-stream': audioFile,
						},
					},
					...refusals,
					...notFound,
				},
			},
		},
		async (request, reply) => {
			const { sessionGuid } = request.params;
			const recording = await recordings.open(sessionGuid);
			const link = links.redirect(request, sessionGuid, shapes.current().download);
			if (link) {
				recording.content.destroy();
				return reply.redirect(link.location, link.status);
			}
			return sendRecording(request, reply as FastifyReply, recording, shapes);
		},
	);

	app.delete(
		'/recordings/:sessionGuid',
		{
			config: { permission: 'deleteRecording' },
			schema: {
				operationId: 'deleteRecording',
				tags: ['Recordings'],
				security,
				summary: 'Delete a recording',
				description: assumed,
				params: SessionGuidParams,
				response: { 200: ref(DeletedReply), ...refusals, ...notFound },
			},
		},
		async (request, reply) => {
			const row = await recordings.delete(request.params.sessionGuid);
			const seen = shapes.profile?.deleted(row.sessionGuid);
			if (seen) return sendProfiled(reply as FastifyReply, seen);
			return answer(reply as FastifyReply, deletedReply(row, shapes.current()));
		},
	);

	app.post(
		'/sms',
		{
			config: { permission: 'sendSms' },
			// Every request gets the same answer: not available.
			attachValidation: true,
			schema: {
				operationId: 'sendSms',
				tags: ['SMS'],
				security,
				summary: 'Send SMS (coming soon)',
				description: 'Announced by the service and not yet available.',
				body: ref(SmsRequest),
				response: { 501: error('Coming soon'), ...refusals },
			},
		},
		async (_request, reply: FastifyReply) => {
			const { status, body } = smsReply(shapes.current());
			if (status < 400) return asJson(reply).code(status).send(body);
			throw new ServiceError(status, 'not_implemented', 'SMS is coming soon, not yet available');
		},
	);
	done();
};
