import { defaultApiKeys, type Permission } from '../auth/permissions.mts';
import type { controls } from '../control/control.mts';
import { assumedShapes } from '../shapes/unknowns.mts';

/*
 * What the OpenAPI document shows as examples: two calls on one day, in the assumed shapes. A test
 * sends the requests as they are here and compares the answers with those here.
 */

/** By a name that Swagger UI shows. */
type Named = Record<string, unknown>;

interface OperationExamples {
	requests?: Named;
	/** Missing if the answer is audio. */
	reply?: unknown;
}

const sessionGuid = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const otherGuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const metadata = { customerId: 'C-1042' };
const ok = { ok: true };

const makeCall = { to: '+15550100', from: '+15550199', durationSeconds: 12, metadata };

const recording = {
	sessionGuid,
	to: makeCall.to,
	from: makeCall.from,
	startedAt: '2026-01-15T09:30:00.000Z',
	endedAt: '2026-01-15T09:30:17.500Z',
	durationSeconds: 12,
	format: 'mp3',
	encrypted: true,
};
const otherRecording = {
	sessionGuid: otherGuid,
	to: '+15550101',
	from: null,
	startedAt: '2026-01-15T10:02:11.250Z',
	endedAt: '2026-01-15T10:02:48.000Z',
	durationSeconds: 31.5,
	format: 'opus',
	encrypted: false,
};
const plainBytes = 47_952;
const storedBytes = 47_996;
const otherBytes = 97_110;
const plainSha256 = 'dc99d45c74db44110a3a052254cbc3be8d9713f1da566715dfb3826dfc63cfb6';
const storedSha256 = '79114ddc47c625704d64c232b7e8e8fed82bb6fb58b25445c07c2578bde5b649';
const otherSha256 = '6f906830cdb75b95ba2193d7b0b9c8b50dadd7c640478e2ea49d90f04adbf8ba';

const addedRecording = {
	sessionGuid,
	format: recording.format,
	encrypted: recording.encrypted,
	plainBytes,
	plainSha256,
	storedBytes,
	storedSha256,
};

const instructions = {
	aiUrl: {},
	maxSeconds: 600,
	defaultToolsUrlBase: {},
	recordCall: true,
	recordCallFormat: 'mp3',
	recordCallPassword: 'correct horse battery staple',
};

const queuedCall = {
	sessionGuid,
	to: makeCall.to,
	from: makeCall.from,
	metadata,
	state: 'queued',
	startedAt: recording.startedAt,
	answeredAt: null,
	endedAt: null,
	plannedSeconds: makeCall.durationSeconds,
	durationSeconds: null,
	instructions: null,
	recorded: false,
};
const completedCall = {
	...queuedCall,
	state: 'completed',
	answeredAt: '2026-01-15T09:30:05.500Z',
	endedAt: recording.endedAt,
	durationSeconds: recording.durationSeconds,
	instructions: {
		source: 'reply',
		record: true,
		format: recording.format,
		encrypted: true,
		maxSeconds: instructions.maxSeconds,
		problems: [],
	},
	recorded: true,
};

/** What the service sends, and the answer to CallStart. */
export const webhookExamples = {
	CallStart: {
		event: 'CallStart',
		sessionGuid,
		to: makeCall.to,
		from: makeCall.from,
		startedAt: recording.startedAt,
		metadata,
	},
	CallStartReply: { Service_Instructions: instructions },
	CallEnd: {
		event: 'CallEnd',
		sessionGuid,
		to: makeCall.to,
		from: makeCall.from,
		startedAt: recording.startedAt,
		endedAt: recording.endedAt,
		durationSeconds: recording.durationSeconds,
		recorded: true,
		metadata,
	},
};

const webhooks = {
	callStart: 'http://localhost:5678/webhook/call-start',
	callEnd: 'http://localhost:5678/webhook/call-end/webhook',
};
const webhookDelivery = {
	retries: 3,
	retryDelayMs: 1000,
	copies: 1,
	delayMs: 0,
	reorder: 1,
	reorderWaitMs: 1000,
	secret: { in: 'header', name: 'X-Webhook-Secret', value: 'not-secret-only-for-tests' },
	signing: null,
};
const delivery = {
	id: 2,
	event: 'CallEnd',
	sessionGuid,
	url: webhooks.callEnd,
	startedAt: '2026-01-15T09:30:17.620Z',
	durationMs: 18,
	attempt: 1,
	copy: 1,
	requestHeaders: {
		'content-type': 'application/json',
		accept: 'application/json',
		'user-agent': 'voiceagent-emulator',
	},
	requestBody: webhookExamples.CallEnd,
	status: 200,
	replyBody: '{"message":"Workflow was started"}',
	error: null,
};
const rule = {
	match: { endpoint: 'downloadRecording' },
	times: 2,
	fault: { kind: 'status', status: 503, retryAfter: 2 },
};
const fault = { id: 1, hits: 0, spent: false, rule };
const shapes = { ...assumedShapes, list: 'paged', paging: 'cursor', pageSize: 50 };
const apiKeys = { apiKeys: defaultApiKeys };
const callSettings = { recordingDelayMs: 2000 };
const clock = { now: '2026-01-15T09:30:20.000Z' };

export const examples: Record<Permission | keyof typeof controls, OperationExamples> = {
	makeCall: {
		requests: { call: makeCall, recipientOnly: { to: makeCall.to } },
		reply: { sessionGuid, status: 'queued', to: makeCall.to },
	},
	listRecordings: {
		reply: [
			{ ...recording, sizeBytes: storedBytes },
			{ ...otherRecording, sizeBytes: otherBytes },
		],
	},
	downloadRecording: {},
	deleteRecording: { reply: { deleted: true, sessionGuid } },
	sendSms: { requests: { assumed: { to: makeCall.to, text: 'Your table is booked for 7 pm' } } },

	webhooks: { reply: webhooks },
	setWebhooks: {
		requests: {
			callEnd: { callEnd: webhooks.callEnd },
			both: webhooks,
			callEndOff: { callEnd: null },
		},
		reply: webhooks,
	},
	webhookDelivery: { reply: webhookDelivery },
	setWebhookDelivery: {
		requests: {
			retries: { retries: 3, retryDelayMs: 1000 },
			signed: {
				signing: {
					scheme: 'hmac',
					secret: 'not-secret-only-for-tests',
					algorithm: 'sha256',
					encoding: 'hex',
					header: 'X-Signature',
					prefix: 'sha256=',
				},
			},
			everything: webhookDelivery,
		},
		reply: webhookDelivery,
	},
	sendCallEnd: {
		requests: { asUsual: {}, ownBody: { body: { data: { sessionGuid } } } },
		reply: delivery,
	},
	deliveries: {
		reply: [
			{
				...delivery,
				id: 1,
				event: 'CallStart',
				url: webhooks.callStart,
				startedAt: '2026-01-15T09:30:00.010Z',
				requestBody: webhookExamples.CallStart,
				replyBody: JSON.stringify(webhookExamples.CallStartReply),
			},
			delivery,
		],
	},

	shapes: { reply: assumedShapes },
	setShapes: {
		requests: { pages: { list: 'paged', paging: 'cursor', pageSize: 50 } },
		reply: shapes,
	},
	resetShapes: { reply: assumedShapes },
	apiKeys: { reply: apiKeys },
	setApiKeys: { requests: { two: apiKeys }, reply: ok },
	caPem: { reply: '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmg…\n-----END CERTIFICATE-----\n' },

	faults: { reply: [{ ...fault, hits: 1 }] },
	addFault: {
		requests: {
			serviceUnavailable: rule,
			cutDownload: {
				match: { endpoint: 'downloadRecording', sessionGuid },
				fault: { kind: 'drop', afterBytes: 1000 },
			},
			noReply: { skip: 1, fault: { kind: 'hangUp' } },
		},
		reply: fault,
	},
	removeFault: { reply: ok },
	clearFaults: { reply: ok },

	setDefaultInstructions: {
		requests: { record: { instructions }, none: { instructions: null } },
		reply: ok,
	},
	recordingDelay: { reply: callSettings },
	setRecordingDelay: { requests: { twoSeconds: callSettings }, reply: callSettings },
	calls: { reply: [completedCall] },
	placeCall: { requests: { call: makeCall }, reply: queuedCall },
	call: { reply: completedCall },
	endCall: { reply: completedCall },
	completedCall: { reply: completedCall },

	recordings: {
		reply: [
			{
				...recording,
				plainBytes,
				plainSha256,
				storedBytes,
				storedSha256,
				state: 'stored',
				stateSince: '2026-01-15T09:30:17.610Z',
			},
			{
				...otherRecording,
				plainBytes: otherBytes,
				plainSha256: otherSha256,
				storedBytes: otherBytes,
				storedSha256: otherSha256,
				state: 'deleted',
				stateSince: '2026-01-15T10:15:00.000Z',
			},
		],
	},
	addRecording: {
		requests: {
			encrypted: {
				sessionGuid,
				to: makeCall.to,
				from: makeCall.from,
				format: 'mp3',
				durationSeconds: 12,
				password: instructions.recordCallPassword,
			},
			large: { format: 'wav', sizeBytes: 500_000_000, onTheFly: true },
			givenBytes: { format: 'mp3', contentBase64: 'SUQzBAAAAAAAAA==' },
		},
		reply: addedRecording,
	},
	tamper: {
		requests: { lastBit: { flipBitAt: -1 }, shorter: { truncateTo: 1000 } },
		reply: addedRecording,
	},

	requests: {
		reply: [
			{
				id: 1,
				time: '2026-01-15T09:29:59.990Z',
				method: 'POST',
				path: '/api/customer/makecall',
				rawHeaders: [
					['Token', 'demo-key'],
					['Content-Type', 'application/json'],
					['Content-Length', '18'],
				],
				body: { to: '+15550100' },
				bodyBase64: 'eyJ0byI6IisxNTU1MDEwMCJ9',
				fault: null,
				status: 200,
				durationMs: 9,
				aborted: false,
			},
		],
	},
	log: {
		reply: [
			{
				time: recording.startedAt,
				level: 'info',
				sessionGuid,
				message: 'call to +15550100 placed',
			},
			{
				time: '2026-01-15T09:30:17.610Z',
				level: 'info',
				sessionGuid,
				message: 'recording stored, 47996 bytes',
			},
		],
	},
	logs: {
		reply: {
			deliveries: { entries: 2, bytes: 1508, dropped: 0 },
			requests: { entries: 1, bytes: 529, dropped: 0 },
			log: { entries: 7, bytes: 999, dropped: 0 },
		},
	},
	clearLogs: { reply: ok },
	reset: { reply: ok },
	now: { reply: clock },
	advanceClock: {
		requests: { oneHour: { ms: 3_600_000 }, sevenDays: { ms: 604_800_000 } },
		reply: clock,
	},
};

const error = (code: string, message: string, fields?: string[]) => ({
	error: { code, message, ...(fields && { fields }) },
});

/** The body of a refusal, by the status as the document spells it. */
export const refusalExamples: Record<string, (operation: string) => unknown> = {
	400: () => error('invalid_request', 'to is missing', ['to']),
	401: () => error('unauthorized', 'The header "Token" with the API key is missing'),
	403: (operation) => error('forbidden', `This API key lacks the permission ${operation}`),
	404: () =>
		error(
			'recording_not_found',
			'No recording is stored under this sessionGuid: it never existed, was deleted, or was purged 7 days after the call ended',
		),
	'4XX': () => error('forbidden', 'Control is open to this machine only'),
	501: () => error('not_implemented', 'SMS is coming soon, not yet available'),
};
