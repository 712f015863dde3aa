import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { isoTime } from '../clock.mts';
import type { EmulatorControl } from '../control.mts';
import { ServiceError } from '../errors.mts';
import { isLoopbackAddress, isLoopbackHost } from '../loopback.mts';
import {
	AddedRecording,
	AddRecordingRequest,
	AdvanceClockRequest,
	Call,
	ClockReply,
	DefaultInstructionsRequest,
	Delivery,
	ErrorBody,
	LedgerEntry,
	LogEntry,
	MakeCallRequest,
	ref,
	RequestEntry,
	SessionGuidParams,
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
export const controlRoutes: FastifyPluginCallbackTypebox<{ control: EmulatorControl }> = (
	app,
	{ control },
	done,
) => {
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
