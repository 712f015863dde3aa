import { defaultApiKeys } from '../auth/permissions.mts';
import { assumedShapes } from '../profile/unknowns.mts';

/* The records in the examples of the OpenAPI document: two calls on one day. */

export const sessionGuid = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const otherGuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const metadata = { customerId: 'C-1042' };

export const makeCall = { to: '+15550100', from: '+15550199', durationSeconds: 12, metadata };

export const recording = {
	sessionGuid,
	to: makeCall.to,
	from: makeCall.from,
	startedAt: '2026-01-15T09:30:00.000Z',
	endedAt: '2026-01-15T09:30:17.500Z',
	durationSeconds: 12,
	format: 'mp3',
	encrypted: true,
};
export const otherRecording = {
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
export const storedBytes = 47_996;
export const otherBytes = 97_110;
const plainSha256 = 'bbc729bf92ac33d74636127c992e9de10f52e6240480517482eb4aa5f48839f3';
const storedSha256 = '79114ddc47c625704d64c232b7e8e8fed82bb6fb58b25445c07c2578bde5b649';
const otherSha256 = '21b2cf301ac4c8589ceeb0d13f6bae832a1f3f997f4599a986e176712d311f96';

export const addedRecording = {
	sessionGuid,
	format: recording.format,
	encrypted: recording.encrypted,
	plainBytes,
	plainSha256,
	storedBytes,
	storedSha256,
};

export const instructions = {
	aiUrl: {},
	maxSeconds: 600,
	defaultToolsUrlBase: {},
	recordCall: true,
	recordCallFormat: 'mp3',
	recordCallPassword: 'correct horse battery staple',
};

export const queuedCall = {
	sessionGuid,
	to: makeCall.to,
	from: makeCall.from,
	metadata,
	state: 'queued',
	startedAt: recording.startedAt,
	answeredAt: null,
	endedAt: null,
	plannedOutcome: 'answered',
	outcome: null,
	plannedSeconds: makeCall.durationSeconds,
	durationSeconds: null,
	instructions: null,
	recorded: false,
};
export const completedCall = {
	...queuedCall,
	state: 'completed',
	answeredAt: '2026-01-15T09:30:05.500Z',
	endedAt: recording.endedAt,
	outcome: 'answered',
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
		outcome: 'answered',
		recorded: true,
		metadata,
	},
};

export const webhooks = {
	callStart: 'http://localhost:5678/webhook/call-start',
	callEnd: 'http://localhost:5678/webhook/call-end/webhook',
};
export const webhookDelivery = {
	preset: null,
	retries: 3,
	retryDelayMs: 1000,
	copies: 1,
	delayMs: 0,
	reorder: 1,
	reorderWaitMs: 1000,
	secret: { in: 'header', name: 'X-Webhook-Secret', value: 'not-secret-only-for-tests' },
	signing: null,
};
export const delivery = {
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
export const rule = {
	match: { endpoint: 'downloadRecording' },
	times: 2,
	fault: { kind: 'status', status: 503, retryAfter: 2 },
};
export const fault = { id: 1, hits: 0, spent: false, rule };
export const shapes = { ...assumedShapes, list: 'paged', paging: 'cursor', pageSize: 50 };
export const apiKeys = { apiKeys: defaultApiKeys };
export const callSettings = { recordingDelayMs: 2000 };
export const outcomes = {
	outcomes: [
		{ to: '+15550101', outcome: 'busy' },
		{ to: '+1555011*', outcome: 'voicemail' },
	],
};
export const clock = { now: '2026-01-15T09:30:20.000Z' };
export const ledger = [
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
];
export const requestLog = [
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
];
export const log = [
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
];
