import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { isoTime } from '../clock.mts';
import type { EmulatorControl } from '../control.mts';
import { ServiceError } from '../errors.mts';
import { isLoopbackAddress, isLoopbackHost } from '../loopback.mts';
import {
	AddedFault,
	AddedRecording,
	AddRecordingRequest,
	AdvanceClockRequest,
	ApiKeysRequest,
	Call,
	CallSettingsRequest,
	ClockReply,
	DefaultInstructionsRequest,
	Delivery,
	DeliveryOptions,
	ErrorBody,
	FaultRule,
	LedgerEntry,
	LogEntry,
	MakeCallRequest,
	ref,
	RequestEntry,
	SessionGuidParams,
	ShapesRequest,
	TamperRequest,
	WebhookTargets,
} from '../schemas.mts';

/** Room for `contentBase64`; larger recordings are ordered with `sizeBytes`. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

const Ok = Type.Object({ ok: Type.Literal(true) });
const ok = { ok: true } as const;
const failures = { '4xx': ref(ErrorBody) };
const tags = ['Emulator control'];
const reply = <T,>(schema: T) => ({ 200: schema, ...failures });

/** The in-process control over HTTP, for this machine only and without an API key. */
export const controlRoutes: FastifyPluginCallbackTypebox<{
	control: EmulatorControl;
	caPem: string | undefined;
}> = (app, { control, caPem }, done) => {
	app.addHook('onRequest', async (request) => {
		// The host check keeps web pages out that point a name of theirs to 127.0.0.1.
		if (!isLoopbackAddress(request.socket.remoteAddress) || !isLoopbackHost(request.hostname)) {
			throw new ServiceError(403, 'forbidden', 'Control is open to this machine only');
		}
	});

	app.get(
		'/webhooks',
		{ schema: { tags, summary: 'Webhook targets', response: reply(ref(WebhookTargets)) } },
		async () => control.webhooks(),
	);
	app.put(
		'/webhooks',
		{
			schema: {
				tags,
				summary: 'Set webhook targets',
				body: ref(WebhookTargets),
				response: reply(ref(WebhookTargets)),
			},
		},
		async (request) => {
			control.setWebhooks(request.body);
			return control.webhooks();
		},
	);
	app.get(
		'/webhook-delivery',
		{
			schema: {
				tags,
				summary: 'How webhooks are delivered',
				response: reply(ref(DeliveryOptions)),
			},
		},
		async () => control.webhookDelivery(),
	);
	app.put(
		'/webhook-delivery',
		{
			schema: {
				tags,
				summary: 'Set retries, copies, delays, order and secret of the webhooks',
				body: ref(DeliveryOptions),
				response: reply(ref(DeliveryOptions)),
			},
		},
		async (request) => {
			control.setWebhookDelivery(request.body);
			return control.webhookDelivery();
		},
	);

	app.get(
		'/shapes',
		{
			schema: {
				tags,
				summary: 'Shapes of what the specification leaves open',
				response: reply(ref(ShapesRequest)),
			},
		},
		async () => control.shapes(),
	);
	app.put(
		'/shapes',
		{
			schema: {
				tags,
				summary: 'Choose shapes',
				body: ref(ShapesRequest),
				response: reply(ref(ShapesRequest)),
			},
		},
		async (request) => {
			control.setShapes(request.body);
			return control.shapes();
		},
	);
	app.delete(
		'/shapes',
		{
			schema: {
				tags,
				summary: 'Back to the assumed shapes',
				response: reply(ref(ShapesRequest)),
			},
		},
		async () => {
			control.resetShapes();
			return control.shapes();
		},
	);

	app.get(
		'/faults',
		{
			schema: { tags, summary: 'Faults ordered', response: reply(Type.Array(ref(AddedFault))) },
		},
		async () => control.faults(),
	);
	app.post(
		'/faults',
		{
			schema: {
				tags,
				summary: 'Order a fault for requests to come',
				body: ref(FaultRule),
				response: reply(ref(AddedFault)),
			},
		},
		async (request) => control.addFault(request.body),
	);
	app.delete(
		'/faults',
		{ schema: { tags, summary: 'Take back every fault', response: reply(Ok) } },
		async () => {
			control.clearFaults();
			return ok;
		},
	);
	app.delete(
		'/faults/:id',
		{
			schema: {
				tags,
				summary: 'Take back one fault',
				params: Type.Object({ id: Type.String({ pattern: '^[0-9]+$' }) }),
				response: reply(Ok),
			},
		},
		async (request) => {
			control.removeFault(Number(request.params.id));
			return ok;
		},
	);

	app.get(
		'/api-keys',
		{ schema: { tags, summary: 'Accepted API keys', response: reply(ref(ApiKeysRequest)) } },
		async () => ({
			apiKeys: control.apiKeys().map((one) => ({ ...one, permissions: [...one.permissions] })),
		}),
	);
	app.put(
		'/api-keys',
		{
			schema: {
				tags,
				summary: 'Exchange the API keys',
				body: ref(ApiKeysRequest),
				response: reply(Ok),
			},
		},
		async (request) => {
			control.setApiKeys(request.body.apiKeys);
			return ok;
		},
	);

	app.put(
		'/default-instructions',
		{
			schema: {
				tags,
				summary: 'Set the Service_Instructions for calls without a CallStart target',
				body: ref(DefaultInstructionsRequest),
				response: reply(Ok),
			},
		},
		async (request) => {
			const { instructions } = request.body;
			control.setDefaultInstructions(instructions && { ...instructions });
			return ok;
		},
	);

	app.get(
		'/call-settings',
		{ schema: { tags, summary: 'Settings of calls', response: reply(ref(CallSettingsRequest)) } },
		async () => ({ recordingDelayMs: control.recordingDelay() }),
	);
	app.put(
		'/call-settings',
		{
			schema: {
				tags,
				summary: 'Set how late recordings are stored',
				body: ref(CallSettingsRequest),
				response: reply(ref(CallSettingsRequest)),
			},
		},
		async (request) => {
			const { recordingDelayMs } = request.body;
			if (recordingDelayMs !== undefined) control.setRecordingDelay(recordingDelayMs);
			return { recordingDelayMs: control.recordingDelay() };
		},
	);
	app.get(
		'/calls',
		{ schema: { tags, summary: 'Every call', response: reply(Type.Array(ref(Call))) } },
		async () => control.calls(),
	);
	app.post(
		'/calls',
		{
			schema: {
				tags,
				summary: 'Place a call without an API key',
				body: ref(MakeCallRequest),
				response: reply(ref(Call)),
			},
		},
		async (request) => control.placeCall(request.body),
	);
	app.get(
		'/calls/:sessionGuid',
		{
			schema: {
				tags,
				summary: 'One call',
				params: SessionGuidParams,
				response: reply(ref(Call)),
			},
		},
		async (request) => control.call(request.params.sessionGuid),
	);
	app.post(
		'/calls/:sessionGuid/end',
		{
			schema: {
				tags,
				summary: 'Hang up; answers when the call is over and CallEnd was sent',
				params: SessionGuidParams,
				response: reply(ref(Call)),
			},
		},
		async (request) => control.endCall(request.params.sessionGuid),
	);
	app.get(
		'/calls/:sessionGuid/completed',
		{
			schema: {
				tags,
				summary: 'Answers when the call is over and CallEnd was sent',
				params: SessionGuidParams,
				response: reply(ref(Call)),
			},
		},
		async (request) => control.completedCall(request.params.sessionGuid),
	);

	app.get(
		'/recordings',
		{
			schema: {
				tags,
				summary: 'The ledger: everything ever recorded',
				response: reply(Type.Array(ref(LedgerEntry))),
			},
		},
		async () => control.recordings(),
	);
	app.post(
		'/recordings',
		{
			bodyLimit: BODY_LIMIT_BYTES,
			schema: {
				tags,
				summary: 'Store a recording of a call that never was',
				body: ref(AddRecordingRequest),
				response: reply(ref(AddedRecording)),
			},
		},
		async (request) => {
			const { contentBase64, ...options } = request.body;
			return control.addRecording(
				contentBase64 === undefined
					? options
					: { ...options, content: Buffer.from(contentBase64, 'base64') },
			);
		},
	);
	app.post(
		'/recordings/:sessionGuid/tamper',
		{
			schema: {
				tags,
				summary: 'Damage a stored file',
				params: SessionGuidParams,
				body: ref(TamperRequest),
				response: reply(ref(AddedRecording)),
			},
		},
		async (request) => control.tamper(request.params.sessionGuid, request.body),
	);
	app.post(
		'/recordings/:sessionGuid/call-end',
		{
			schema: {
				tags,
				summary: 'Send the CallEnd webhook for a stored recording',
				params: SessionGuidParams,
				body: Type.Object(
					{ body: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
					{ additionalProperties: false, description: 'body replaces the whole webhook body' },
				),
				response: reply(ref(Delivery)),
			},
		},
		async (request) => control.sendCallEnd(request.params.sessionGuid, request.body.body),
	);

	app.get(
		'/deliveries',
		{
			schema: {
				tags,
				summary: 'Webhooks that were sent',
				response: reply(Type.Array(ref(Delivery))),
			},
		},
		async () => control.deliveries(),
	);
	app.get(
		'/requests',
		{
			schema: {
				tags,
				summary: 'Requests to the service, with raw headers',
				response: reply(Type.Array(ref(RequestEntry))),
			},
		},
		async () => control.requests(),
	);
	app.get(
		'/log',
		{ schema: { tags, summary: 'What happened', response: reply(Type.Array(ref(LogEntry))) } },
		async () => control.log(),
	);
	app.delete(
		'/logs',
		{
			schema: { tags, summary: 'Empty deliveries, requests and log', response: reply(Ok) },
		},
		async () => {
			control.clearLogs();
			return ok;
		},
	);

	app.get(
		'/ca.pem',
		{
			schema: {
				tags,
				summary: 'Authority that signed the HTTPS certificate',
				response: {
					200: {
						description: 'PEM',
						content: { 'application/x-pem-file': { schema: Type.String() } },
					},
					...failures,
				},
			},
		},
		async (_request, reply: FastifyReply) => {
			if (caPem === undefined) {
				throw new ServiceError(404, 'no_https', 'This emulator was started without HTTPS');
			}
			return reply.type('application/x-pem-file').send(caPem);
		},
	);

	app.get(
		'/clock',
		{ schema: { tags, summary: 'Emulator time', response: reply(ref(ClockReply)) } },
		async () => ({ now: isoTime(control.now()) }),
	);
	app.post(
		'/clock/advance',
		{
			schema: {
				tags,
				summary: 'Move the clock; purges what is over 7 days old then',
				body: ref(AdvanceClockRequest),
				response: reply(ref(ClockReply)),
			},
		},
		async (request) => {
			await control.advanceClock(request.body.ms);
			return { now: isoTime(control.now()) };
		},
	);
	done();
};
