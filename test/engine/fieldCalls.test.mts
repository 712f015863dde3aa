/** Reports about phone numbers and calls: the cases `numbers` and `call` of test/vectors/field. */
import type { TestContext } from 'node:test';

import type { Options, Seen } from '../fieldCases/outcome.mts';
import { fieldCases } from '../fieldCases/suite.mts';
import { sharedEngine } from './engines.mts';
import { ownService } from './ownService.mts';
import { seenIn } from './seen.mts';

interface Numbers {
	numbers: string[];
}

interface Call {
	to: string;
	doNotCall: string[];
	/** What the service answers, as it is. */
	answer?: string;
}

const engine = await sharedEngine();

async function numbers(
	_t: TestContext,
	{ numbers: given }: Numbers,
	options: Options,
): Promise<Seen> {
	const execution = await engine.runNode({
		parameters: {
			resource: 'call',
			operation: 'screenNumbers',
			numbers: '={{ $json.numbers }}',
			doNotCall: 'none',
			...options,
		},
		items: [{ numbers: given }],
	});
	return seenIn(execution);
}

async function call(
	t: TestContext,
	{ to, doNotCall, answer = '{"status":"queued"}' }: Call,
	options: Options,
): Promise<Seen> {
	const { run, requests } = await ownService(t, engine, () => ({ body: answer }));
	const execution = await run({
		parameters: {
			resource: 'call',
			operation: 'make',
			specifyBody: 'json',
			jsonBody: '={{ { to: $json.to } }}',
			options: { doNotCall: '={{ $json.doNotCall }}', ...options },
		},
		items: [{ to, doNotCall }],
	});
	return { ...seenIn(execution), placed: requests.length > 0 };
}

fieldCases(
	'numbers',
	[
		{
			input: { numbers: ['+1 555-010-0100', 'unknown'] },
			holds: { to: ['+15550100100', null] },
			doesNotHold: { to: ['+15550100100', '+15550100100'] },
		},
	],
	numbers,
);

const LIST = ['+442071838750'];
fieldCases(
	'call',
	[
		{
			input: { to: '+15550100100', doNotCall: LIST },
			holds: { placed: true, contains: 'queued', lacks: 'blocked' },
			doesNotHold: { placed: false },
		},
		{
			input: { to: '+44 20 7183 8750', doNotCall: LIST },
			holds: { placed: false, refused: 'do-not-call list' },
			doesNotHold: { placed: true },
		},
	],
	call,
);
