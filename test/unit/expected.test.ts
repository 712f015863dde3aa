import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../nodes/errors';
import { noteDownloaded } from '../../nodes/VoiceAgent/recording/presence/downloaded';
import { ExpectedRecording } from '../../nodes/VoiceAgent/recording/presence/expected';

const sessionGuid = '0e8f6d6e-1111-4222-8333-444455556666';
const gone = new VoiceAgentError('recordingGone', { httpStatus: 404, hint: 'It answered 404.' });

/** n8n, as far as it remembers what a node has downloaded. */
function n8n(): IExecuteFunctions {
	const entries = new Set<string>();
	const helpers = {
		checkProcessedAndRecord: async (keys: string[]) => {
			const processed = keys.filter((key) => entries.has(key));
			const fresh = keys.filter((key) => !entries.has(key));
			fresh.forEach((key) => entries.add(key));
			return { processed, new: fresh };
		},
		removeProcessed: async (keys: string[]) => keys.forEach((key) => entries.delete(key)),
	};
	return { helpers } as unknown as IExecuteFunctions;
}

const callEnd = (payload: IDataObject, minutesAgo = 1) => {
	const endedAt = new Date(Date.now() - minutesAgo * 60_000).toISOString();
	return { event: 'callEnd', payload: { endedAt, ...payload } };
};

interface Circumstances {
	/** Until the service purges it, by its clock. */
	hours?: number;
	/** The same by our clock. */
	ours?: number;
	isArchived?: boolean;
}

/** What becomes of a download that has failed: the hint, or the reason of the failure. */
async function outcome(
	item: IDataObject,
	{ failure = gone, isArchived = false } = {},
): Promise<string> {
	const context = n8n();
	if (isArchived) await noteDownloaded(context, `{${sessionGuid.toUpperCase()}}`);
	const expected = new ExpectedRecording(context, sessionGuid, item);
	const isWorthWaiting = await expected.isWorthWaiting();
	const explanation = await expected.explain(failure);
	const wait = isWorthWaiting ? 'waits' : 'does not wait';
	if (explanation.hint) return `${wait}, ${explanation.hint.type}: ${explanation.hint.message}`;
	const { reason, message } = explanation.failure as VoiceAgentError;
	return `${wait}, ${reason}: ${message}`;
}

describe('a recording that is neither there nor listed', () => {
	test.each([
		['recorded', { recorded: true }, /^waits, recordingNotReady: .*'payload\.recorded'|'recorded'/],
		['not recorded', { recorded: false }, /^does not wait, info: .*'recorded' .* was not recorded/],
		['nothing', {}, /^waits, warning: .*does not say/],
	])('of a call of which the payload says %s', async (_name, payload, expected) => {
		expect(await outcome(callEnd(payload))).toMatch(expected);
	});

	test.each([
		['recorded', { recorded: true }, /^does not wait, info: .*downloaded it before/],
		['not recorded', { recorded: false }, /^does not wait, info: .*was not recorded/],
		['nothing', {}, /^does not wait, info: .*downloaded it before/],
	])('and was archived meanwhile, if the payload says %s', async (_name, payload, expected) => {
		expect(await outcome(callEnd(payload), { isArchived: true })).toMatch(expected);
	});

	test('whose call ended more than an hour ago may have been archived by any sweep', async () => {
		const recorded = { recorded: true };
		expect(await outcome(callEnd(recorded, 59))).toMatch(/recordingNotReady/);
		expect(await outcome(callEnd(recorded, 61))).toMatch(/warning: .*more than an hour ago/);
	});

	test.each<[string, string | undefined, Circumstances, RegExp]>([
		['was listed before', 'recordingWaiting', {}, /^waits, info: .*listed it/],
		['was listed in its last hour', 'recordingWaiting', { hours: 0.9 }, /recordingLost: /],
		['was archived in its last hour', 'recordingWaiting', { hours: 0, isArchived: true }, /info: /],
		['was listed by a clock that is late', 'recordingWaiting', { hours: 50, ours: -1 }, /Lost: /],
		['was purged', 'recordingLost', {}, /^waits, recordingLost: The recording is lost/],
		['nobody has reported', undefined, {}, /^waits, recordingGone: The recording is gone/],
	])(
		'that %s',
		async (_name, event, { hours = 50, ours = hours, isArchived = false }, expected) => {
			const keptUntil = new Date(Date.now() + ours * 3_600_000).toISOString();
			// In a row of a table, these fields say nothing about who has reported it.
			const call = { endedAt: '2026-11-01T00:00:00Z', keptUntil, payload: { recorded: true } };
			expect(await outcome({ ...call, event, hoursLeft: hours }, { isArchived })).toMatch(expected);
		},
	);

	test('that was listed without an end of its call is not lost', async () => {
		const item = { event: 'recordingWaiting', keptUntil: null, hoursLeft: null };
		expect(await outcome(item)).toMatch(/^waits, info: /);
	});
});

test('is no matter of the payload if another failure came', async () => {
	const failure = new VoiceAgentError('forbidden');
	for (const item of [callEnd({ recorded: false }), { event: 'recordingWaiting' }]) {
		expect(await outcome(item, { failure })).toMatch(/forbidden: /);
	}
});

test('a list that cannot be read is a failure, unless the payload says that there is none', async () => {
	const failure = new VoiceAgentError('maybeGone');
	expect(await outcome(callEnd({}), { failure })).toMatch(/maybeGone/);
	expect(await outcome(callEnd({ recorded: true }), { failure })).toMatch(/maybeGone/);
	expect(await outcome(callEnd({ recorded: false }), { failure })).toMatch(/info: /);
});

test('the failure says what the service has answered', async () => {
	const expected = new ExpectedRecording(n8n(), sessionGuid, callEnd({ recorded: true }));
	const explanation = await expected.explain(gone);
	expect(explanation).toMatchObject({ failure: { httpStatus: 404 } });
	expect((explanation as { failure: VoiceAgentError }).failure.description).toMatch(
		/It answered 404/,
	);
});

test('asking whether it was downloaded leaves nothing behind', async () => {
	const context = n8n();
	for (let asked = 0; asked < 2; asked += 1) {
		const expected = new ExpectedRecording(context, sessionGuid, callEnd({ recorded: true }));
		expect(await expected.isWorthWaiting()).toBe(true);
	}
});

test('if n8n can remember nothing, the recording counts as missing', async () => {
	const expected = new ExpectedRecording(
		{ helpers: {} } as IExecuteFunctions,
		sessionGuid,
		callEnd({ recorded: true }),
	);
	expect(await expected.explain(gone)).toMatchObject({ failure: { reason: 'recordingNotReady' } });
});
