/**
 * How public APIs return lists and refuse requests. Each list is read as a whole, and as the first
 * of two pages.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { root } from '../../scripts/paths.mjs';
import { sharedEngine } from './engines.mts';
import { getMany } from './oneRecording.mts';
import { ownService, type Request } from './ownService.mts';

interface List {
	name: string;
	complete: unknown;
	first?: unknown;
	second?: unknown;
	/** Query parameters and values that ask for the second page. */
	secondWhen?: Array<[parameter: string, value: string]>;
	/** Siblings of the list that a reader may ask about. */
	mayAsk?: string[];
}

interface Refusal {
	name: string;
	status: number;
	body: unknown;
	/** Of these texts, one must be shown. */
	says: string[];
}

/** See test/vectors/README.md. */
const folder = join(root, 'test/vectors/publicApis');
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown;
const engine = await sharedEngine();

/** @returns how many records are output, such as `3` or `2 warned`, or the message of an error */
async function listed(t: TestContext, answer: (request: Request) => unknown): Promise<string> {
	let origin = '';
	const { url, run } = await ownService(t, engine, (request) => ({
		body: JSON.stringify(answer(request)).replaceAll('{base}', origin),
	}));
	origin = url;
	const execution = await run({ parameters: getMany() });
	if (execution.status === 'error') return String(execution.nodeError(NODE)?.message);
	const isWarned = execution.hints(NODE).length > 0;
	return `${execution.items(NODE).length}${isWarned ? ' warned' : ''}`;
}

suite('public APIs', () => {
	test('of a whole list, all records are output, and there is no question', async (t) => {
		const wrong: string[] = [];
		for (const { name, complete, mayAsk } of read('lists.json') as List[]) {
			const found = await listed(t, () => complete);
			if (found !== '3' && !(mayAsk && found === '3 warned')) wrong.push(`${name}: ${found}`);
		}
		assert.deepEqual(wrong, []);
	});

	test('of a first page, all records are output, or there is a question', async (t) => {
		const wrong: string[] = [];
		for (const { name, first, second, secondWhen = [] } of read('lists.json') as List[]) {
			if (first === undefined) continue;
			const isSecond = ({ query }: Request) =>
				secondWhen.some(([parameter, value]) => query.get(parameter) === value);
			const found = await listed(t, (request) => (isSecond(request) ? second : first));
			if (!/^3|warned$|incomplete/.test(found)) wrong.push(`${name}: ${found}`);
		}
		assert.deepEqual(wrong, []);
	});

	test('whatever status a refusal has, the user reads what the service says', async (t) => {
		const refusals = read('errors.json') as Refusal[];
		const remaining = [...refusals];
		const { run } = await ownService(t, engine, () => remaining.shift() ?? {});
		const silent: string[] = [];
		for (const { name, says } of refusals) {
			// A call is never sent twice, so that each request gets the next answer.
			const call = { specifyBody: 'json', jsonBody: '{"to":"1"}' };
			const parameters = { resource: 'call', operation: 'make', ...call };
			const execution = await run({ parameters });
			const text = String(execution.nodeError(NODE)?.description);
			if (!says.some((sentence) => text.includes(sentence))) silent.push(`${name}: ${text}`);
		}
		assert.deepEqual(silent, []);
	});
});
