import type { Permission } from '../auth/permissions.mts';
import type { controls } from '../control/control.mts';
import { assumedShapes } from '../profile/unknowns.mts';
import {
	addedRecording,
	apiKeys,
	callSettings,
	clock,
	completedCall,
	delivery,
	fault,
	instructions,
	ledger,
	log,
	makeCall,
	outcomes,
	otherBytes,
	otherRecording,
	queuedCall,
	recording,
	requestLog,
	rule,
	sessionGuid,
	shapes,
	storedBytes,
	webhookDelivery,
	webhookExamples,
	webhooks,
} from './exampleRecords.mts';

/*
 * What the OpenAPI document shows as examples, in the assumed shapes. A test sends the requests as
 * they are here and compares the answers with those here.
 */

/** By a name that Swagger UI shows. */
type Named = Record<string, unknown>;

interface OperationExamples {
	requests?: Named;
	/** Missing if the answer is audio. */
	reply?: unknown;
}

const ok = { ok: true };

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
			preset: { preset: 'svix' },
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
	profile: { reply: { isProfiled: true, assumed: ['payload of CallStart'] } },
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
	outcomes: { reply: outcomes },
	setOutcomes: { requests: { byNumber: outcomes }, reply: outcomes },
	calls: { reply: [completedCall] },
	placeCall: { requests: { call: makeCall }, reply: queuedCall },
	call: { reply: completedCall },
	endCall: { reply: completedCall },
	completedCall: { reply: completedCall },

	recordings: {
		reply: ledger,
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
		reply: requestLog,
	},
	log: {
		reply: log,
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
