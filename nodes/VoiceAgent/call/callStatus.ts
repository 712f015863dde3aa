import { type CallStatus, type Reason, VoiceAgentError } from '../../errors';

/** Nobody was called, and the same call may succeed later. */
const WAITING: readonly Reason[] = [
	'blockedByN8n',
	'doNotCallUnusable',
	'forbidden',
	'insecure',
	'invalidApiKey',
	'invalidBaseUrl',
	'notFound',
	'outsideCallingHours',
	'rateLimited',
	'unauthorized',
	'unreachable',
];
/** Nobody was called, and the same call is refused later too. */
const REFUSED: readonly Reason[] = ['callRefused', 'invalidParameter', 'rejected'];

/** What a failure means for the call. Of what is not known, somebody may have been called. */
export function callStatusAfter(error: unknown): CallStatus {
	if (!(error instanceof VoiceAgentError)) return 'unclear';
	if (WAITING.includes(error.reason)) return 'waiting';
	return REFUSED.includes(error.reason) ? 'refused' : 'unclear';
}
