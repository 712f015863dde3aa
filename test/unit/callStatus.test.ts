import { VoiceAgentError, type Reason } from '../../nodes/errors';
import { callStatusAfter } from '../../nodes/VoiceAgent/call/callStatus';

test.each<[string, Reason[]]>([
	[
		'waiting',
		['rateLimited', 'unauthorized', 'unreachable', 'outsideCallingHours', 'doNotCallUnusable'],
	],
	['refused', ['rejected', 'callRefused', 'invalidParameter']],
	['unclear', ['callMayHaveBeenPlaced', 'declaredFailure', 'placedBefore']],
])('%s after %p', (status, reasons) => {
	for (const reason of reasons) expect(callStatusAfter(new VoiceAgentError(reason))).toBe(status);
});

test('after an error that nobody foresaw, somebody may have been called', () => {
	expect(callStatusAfter(new TypeError('undefined is not a function'))).toBe('unclear');
});
