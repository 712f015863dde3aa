/** Reports about lists, their pages and times: the cases `list` of test/vectors/field. */
import type { TestContext } from 'node:test';

import type { Options, Seen } from '../fieldCases/outcome.mts';
import { fieldCases } from '../fieldCases/suite.mts';
import { sharedEngine } from './engines.mts';
import { getMany } from './oneRecording.mts';
import { ownService, type Request } from './ownService.mts';
import { seenIn } from './seen.mts';

interface List {
	/** Of the service: the first one whose `when` the query has, or else the one without. */
	answers: Array<{ when?: Record<string, string>; json?: unknown; body?: string }>;
}

const engine = await sharedEngine();

/** @param options fields of the credential */
async function list(t: TestContext, { answers }: List, options: Options): Promise<Seen> {
	let origin = '';
	const answerTo = ({ query }: Request) => {
		const isMeant = ([name, value]: [string, string]) => query.get(name) === value;
		const meant = answers.find(({ when }) => when && Object.entries(when).every(isMeant));
		const { json, body } = meant ?? answers.find(({ when }) => !when) ?? {};
		return { body: (body ?? JSON.stringify(json)).replaceAll('{base}', origin) };
	};
	const fields = options as Record<string, string>;
	const { url, run } = await ownService(t, engine, answerTo, fields);
	origin = url;
	return seenIn(await run({ parameters: getMany() }));
}

const first = { sessionGuid: '0d9a3c5e-7b1f-4a62-9c84-1e5f20a7b311' };
const second = { sessionGuid: '5b27f0c4-93d8-4e1a-8f60-c2d4a9e71b22' };
fieldCases(
	'list',
	[
		{
			input: {
				answers: [
					{ json: { recordings: [first], next: '{base}/api/customer/recordings?page=2' } },
					{ when: { page: '2' }, json: { recordings: [second] } },
				],
			},
			holds: { sessionGuids: [second.sessionGuid, first.sessionGuid], quiet: true },
			doesNotHold: { sessionGuids: [first.sessionGuid], quiet: true },
		},
	],
	list,
);
