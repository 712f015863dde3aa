import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { authorize, type Keyring } from '../auth/auth.mts';
import type { Permission } from '../auth/permissions.mts';
import type { Calls } from '../calls/calls.mts';
import { MakeCallReply, MakeCallRequest } from '../calls/schemas.mts';
import { ServiceError } from '../errors.mts';
import type { ShapeBoard } from '../profile/board.mts';
import type { ProfiledReply } from '../profile/errors.mts';
import { GUID } from '../profile/spelling.mts';
import type { Recordings } from '../recordings/recordings.mts';
import { DeletedReply, RecordingList } from '../recordings/schemas.mts';
import { ErrorBody, named, ref, SessionGuidParams } from '../schema.mts';
import { sendProfiled, sendRecording } from './replies.mts';
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

/** Note on replies that follow the profile. The document shows the assumed ones. */
const assumed = 'Status and body are assumptions; the emulator can be told to answer otherwise.';

const audioFile = { schema: Type.String({ format: 'binary' }) };

const SmsRequest = named(
	'SmsRequest',
	Type.Object({}, { additionalProperties: true, description: 'Not yet defined by the service' }),
);

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
		if (!(error instanceof ServiceError)) throw error;
		const { status, code, message, fields } = error;
		throw new ServiceError(shapes.profile.statusOf(code, status), code, message, fields);
	});
	// With a handler of its own, unknown paths below the API ask for a key as known ones do.
	app.setNotFoundHandler(routeTable.refuse);
	const security = [{ Token: [] }];

	/** The refusal, if the profile has one for this. */
	function profiledRefusal(
		{ status, code }: ServiceError,
		{ method, params, raw }: FastifyRequest,
	): ProfiledReply | undefined {
		const { profile } = shapes;
		if (status === 401) return profile.refusal(raw.headers.token ? 'wrongKey' : 'noKey');
		if (code !== 'recording_not_found') return undefined;
		const { sessionGuid } = params as { sessionGuid: string };
		const seen = method === 'DELETE' ? profile.refusal('deleteAgain', sessionGuid) : undefined;
		const kind = GUID.test(sessionGuid) ? 'unknownGuid' : 'malformedGuid';
		return seen ?? profile.refusal(kind, sessionGuid);
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
			return sendProfiled(reply as FastifyReply, shapes.profile.callPlaced(call));
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
			const address = `${request.protocol}://${request.host}${request.url.replace(/\?.*$/s, '')}`;
			const query = request.query as Record<string, unknown>;
			return sendProfiled(reply, shapes.profile.list(rows, { query, address }));
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
			const link = links.redirect(request, sessionGuid, shapes.profile.hops);
			if (link) {
				recording.content.destroy();
				return reply.redirect(link.location, link.status);
			}
			return sendRecording(request, reply as FastifyReply, recording, shapes.profile);
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
			return sendProfiled(reply as FastifyReply, shapes.profile.deleted(row.sessionGuid));
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
			const accepted = shapes.profile.sms();
			if (accepted) return sendProfiled(reply, accepted);
			throw new ServiceError(501, 'not_implemented', 'SMS is coming soon, not yet available');
		},
	);
	done();
};
