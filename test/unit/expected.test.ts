import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../nodes/errors';
import { noteDeletedHere, noteDone } from '../../nodes/VoiceAgent/recording/presence/done';
import { noteDownloaded } from '../../nodes/VoiceAgent/recording/presence/downloaded';
import { ExpectedRecording } from '../../nodes/VoiceAgent/recording/presence/expected';

const sessionGuid = '0e8f6d6e-1111-4222-8333-444455556666';
const gone = new VoiceAgentError('recordingGone', { httpStatus: 404, hint: 'It answered 404.' });

/** n8n, as far as it remembers what a node or a workflow has done. */
function n8n(baseUrl = 'https://api.example.com', entries = new Set<string>()): IExecuteFunctions {
	const noted = (keys: string[], scope: string) => keys.map((key) => `${scope} ${key}`);
	const helpers = {
		checkProcessedAndRecord: async (keys: string[], scope: string) => {
			const processed = keys.filter((key) => entries.has(`${scope} ${key}`));
			noted(keys, scope).forEach((key) => entries.add(key));
			return { processed, new: keys.filter((key) => !processed.includes(key)) };
		},
		removeProcessed: async (keys: string[], scope: string) =>
			noted(keys, scope).forEach((key) => entries.delete(key)),
	};
	const getCredentials = async () => ({ baseUrl, apiKey: 'key' });
	return { helpers, getCredentials } as unknown as IExecuteFunctions;
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
	before?: Before;
}

/** What has happened to the recording before: nothing, or one of these. */
type Before = 'downloaded' | 'archived';

/** What becomes of a download that has failed: the hint, or the reason of the failure. */
async function outcome(
	item: IDataObject,
	{ failure = gone, before }: { failure?: VoiceAgentError; before?: Before } = {},
): Promise<string> {
	const context = n8n();
	const spelledOtherwise = `{${sessionGuid.toUpperCase()}}`;
	if (before) await noteDownloaded(context, [spelledOtherwise]);
	if (before === 'archived') await noteDone(context, spelledOtherwise);
	const expected = new ExpectedRecording(context, 0, sessionGuid, item);
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
		['recorded', { recorded: true }, /^does not wait, info: .*archived or deleted before/],
		['not recorded', { recorded: false }, /^does not wait, info: .*was not recorded/],
		['nothing', {}, /^does not wait, info: .*archived or deleted before/],
	])('and was archived meanwhile, if the payload says %s', async (_name, payload, expected) => {
		for (const minutesAgo of [1, 61, 8 * 24 * 60]) {
			expect(await outcome(callEnd(payload, minutesAgo), { before: 'archived' })).toMatch(expected);
		}
	});

	test.each([
		['recorded', { recorded: true }],
		['nothing', {}],
	])('and was only downloaded, if the payload says %s', async (_name, payload) => {
		for (const minutesAgo of [1, 61, 8 * 24 * 60]) {
			const said = await outcome(callEnd(payload, minutesAgo), { before: 'downloaded' });
			expect(said).toMatch(/^does not wait, recordingLost: .*this node has downloaded it before/);
		}
	});

	test('whose retention is over, if the payload says that it was recorded', async () => {
		const weekAndHour = (7 * 24 + 1) * 60;
		expect(await outcome(callEnd({ recorded: true }, weekAndHour))).toMatch(/recordingLost: /);
		expect(await outcome(callEnd({}, weekAndHour))).toMatch(/warning: /);
	});

	test('whose call ended more than an hour ago may have been archived by any sweep', async () => {
		const recorded = { recorded: true };
		expect(await outcome(callEnd(recorded, 59))).toMatch(/recordingNotReady/);
		expect(await outcome(callEnd(recorded, 61))).toMatch(/warning: .*more than an hour ago/);
	});

	test.each<[string, string | undefined, Circumstances, RegExp]>([
		['was listed before', 'recordingWaiting', {}, /^waits, info: .*listed it/],
		['was listed in its last hour', 'recordingWaiting', { hours: 0.9 }, /recordingLost: /],
		[
			'was archived in its last hour',
			'recordingWaiting',
			{ hours: 0, before: 'archived' },
			/info: /,
		],
		['was only downloaded', 'recordingWaiting', { hours: 0, before: 'downloaded' }, /Lost: /],
		['was only downloaded, and deleted', 'recordingWaiting', { before: 'downloaded' }, /Lost: /],
		['was listed by a clock that is late', 'recordingWaiting', { hours: 50, ours: -1 }, /Lost: /],
		['was purged', 'recordingLost', {}, /^waits, recordingLost: The recording is lost/],
		['was archived, and purged', 'recordingLost', { before: 'archived' }, /info: /],
		['nobody has reported', undefined, {}, /^waits, recordingGone: The recording is gone/],
	])('that %s', async (_name, event, { hours = 50, ours = hours, before }, expected) => {
		const keptUntil = new Date(Date.now() + ours * 3_600_000).toISOString();
		// In a row of a table, these fields say nothing about who has reported it.
		const call = { endedAt: '2026-11-01T00:00:00Z', keptUntil, payload: { recorded: true } };
		expect(await outcome({ ...call, event, hoursLeft: hours }, { before })).toMatch(expected);
	});

	test('that was listed without an end of its call may have been purged', async () => {
		const item = { event: 'recordingWaiting', keptUntil: null, hoursLeft: null };
		expect(await outcome(item)).toMatch(/^waits, recordingLost: .*retention may have ended/);
		expect(await outcome(item, { before: 'archived' })).toMatch(/info: /);
	});

	test('was deleted by another workflow of this process, at the same service', async () => {
		await noteDeletedHere(n8n(), 0, 'deleted-elsewhere');
		const explain = async (context: IExecuteFunctions) => {
			const item = callEnd({ recorded: true });
			return await new ExpectedRecording(context, 0, 'deleted-elsewhere', item).explain(gone);
		};
		expect(await explain(n8n())).toMatchObject({ hint: { type: 'info' } });
		const elsewhere = n8n('https://staging.example.com');
		expect(await explain(elsewhere)).toMatchObject({ failure: { reason: 'recordingNotReady' } });
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
	const expected = new ExpectedRecording(n8n(), 0, sessionGuid, callEnd({ recorded: true }));
	const explanation = await expected.explain(gone);
	expect(explanation).toMatchObject({ failure: { httpStatus: 404 } });
	expect((explanation as { failure: VoiceAgentError }).failure.description).toMatch(
		/It answered 404/,
	);
});

describe('asking what n8n remembers', () => {
	const ask = async (context: IExecuteFunctions) => {
		const expected = new ExpectedRecording(context, 0, sessionGuid, callEnd({ recorded: true }));
		const isWorthWaiting = await expected.isWorthWaiting();
		const { failure } = (await expected.explain(gone)) as { failure?: VoiceAgentError };
		return [isWorthWaiting, failure?.reason];
	};
	const missing = [true, 'recordingNotReady'];

	test('leaves nothing behind', async () => {
		const entries = new Set<string>();
		for (let asked = 0; asked < 2; asked += 1) {
			expect(await ask(n8n(undefined, entries))).toEqual(missing);
		}
		expect(entries.size).toBe(0);
	});

	test('at the same moment, none takes the question of another for the answer', async () => {
		const entries = new Set<string>();
		const asked = [1, 2, 3].map(async () => await ask(n8n(undefined, entries)));
		expect(await Promise.all(asked)).toEqual([missing, missing, missing]);
	});

	test('does not take a question for the answer that was interrupted', async () => {
		const entries = new Set<string>();
		const context = n8n(undefined, entries);
		context.helpers.removeProcessed = async () => await Promise.reject(new Error('killed'));
		await ask(context);
		expect(entries.size).toBeGreaterThan(0);
		expect(await ask(n8n(undefined, entries))).toEqual(missing);
	});

	test('if n8n can remember nothing, the recording counts as missing', async () => {
		const { getCredentials } = n8n();
		expect(await ask({ getCredentials, helpers: {} } as IExecuteFunctions)).toEqual(missing);
	});
});
