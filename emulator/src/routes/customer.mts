import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type ApiKey, authorize, type Permission } from '../auth.mts';
import { fileType } from '../audio/formats.mts';
import type { Calls } from '../calls.mts';
import { ServiceError } from '../errors.mts';
import * as present from '../presentation.mts';
import type { Recordings } from '../recordings.mts';
import {
	DeletedReply,
	ErrorBody,
	MakeCallReply,
	MakeCallRequest,
	RecordingList,
	ref,
	SessionGuidParams,
	SmsRequest,
} from '../schemas.mts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** What the API key must be allowed to do. */
		permission?: Permission;
	}
}

/** Larger reads mean fewer turns of the event loop per download. */
const READ_CHUNK_BYTES = 256 * 1024;

const error = (description: string) => Type.Unsafe({ ...ref(ErrorBody), description });
const refusals = {
	401: error('The Token header is missing, misspelled, or holds an invalid key'),
	403: error('The key is valid but lacks permission for the action'),
};
const notFound = { 404: error('Nothing is stored under this sessionGuid') };
const badRequest = { 400: error('The request is not as described; names the fields') };

const audioFile = { schema: Type.String({ format: 'binary' }) };

/** The service's API, as the specification's section "Endpoints" lists it. */
export const customerRoutes: FastifyPluginCallbackTypebox<{
	apiKeys: readonly ApiKey[];
	calls: Calls;
	recordings: Recordings;
}> = (app, { apiKeys, calls, recordings }, done) => {
	app.addHook('onRequest', async (request) => {
		authorize(request.raw.rawHeaders, apiKeys, request.routeOptions.config.permission);
	});
	// Its own handler, so that unknown paths below the API ask for a key like the known ones.
	app.setNotFoundHandler((request) => {
		throw new ServiceError(404, 'not_found', `No endpoint ${request.method} ${request.url}`);
	});
	const security = [{ Token: [] }];

	app.post(
		'/makecall',
		{
			config: { permission: 'makeCall' },
			schema: {
				operationId: 'makeCall',
				tags: ['Calls'],
				security,
				summary: 'Initiate outbound call',
				description: "Connects a recipient with the customer's AI voice agent.",
				body: ref(MakeCallRequest),
				response: { 200: ref(MakeCallReply), ...badRequest, ...refusals },
			},
		},
		async (request) => present.makeCallReply(calls.place(request.body)),
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
				description: 'Everything that is stored, oldest end of call first.',
				response: { 200: ref(RecordingList), ...refusals },
			},
		},
		async () => present.recordingList(await recordings.list()),
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
			const { row, file } = await recordings.open(request.params.sessionGuid);
			const { extension, contentType } = fileType(row.format, row.encrypted);
			const { size } = await file.stat();
			reply.raw.once('close', () => void file.close().catch(() => undefined));
			return reply
				.type(contentType)
				.header('content-length', size)
				.header('content-disposition', `attachment; filename="${row.sessionGuid}.${extension}"`)
				.send(file.createReadStream({ highWaterMark: READ_CHUNK_BYTES }));
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
				params: SessionGuidParams,
				response: { 200: ref(DeletedReply), ...refusals, ...notFound },
			},
		},
		async (request) => present.deletedReply(await recordings.delete(request.params.sessionGuid)),
	);

	app.post(
		'/sms',
		{
			config: { permission: 'sendSms' },
			// Whatever the request looks like, the answer is that it is not available.
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
		async () => {
			throw new ServiceError(501, 'not_implemented', 'SMS is coming soon, not yet available');
		},
	);
	done();
};
