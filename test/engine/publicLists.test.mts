/** Shapes in which public APIs return a list: each as a whole list, and as the first of two pages. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { root } from '../../scripts/paths.mjs';
import { sharedEngine } from './engines.mts';
import { getMany } from './oneRecording.mts';
import type { Request } from './ownService.mts';
import { ownService } from './ownService.mts';

interface Shape {
	name: string;
	complete: unknown;
	first?: unknown;
	second?: unknown;
	/** Query parameters and values that ask for the second page. */
	secondWhen?: Array<[parameter: string, value: string]>;
	/** Siblings of the list that a reader may ask about. */
	mayAsk?: string[];
}

const file = join(root, '../shared/vectors/lists.json');
const skip = existsSync(file) ? false : 'the published vectors are not here';
const shapes = skip ? [] : (JSON.parse(readFileSync(file, 'utf8')) as Shape[]);
const engine = await sharedEngine();

/** `3`, `2 warned`, or the reason of an error. */
async function outcome(t: Parameters<typeof ownService>[0], answer: (request: Request) => unknown) {
	let origin = '';
	const { url, voiceAgentApi } = await ownService(t, engine, (request) => ({
		body: JSON.stringify(answer(request)).replaceAll('{base}', origin),
	}));
	origin = url;
	const execution = await engine.runNode({
		parameters: getMany(),
		credentials: { voiceAgentApi },
	});
	const hints = execution.status === 'error' ? [] : execution.hints(NODE);
	if (execution.status === 'error') return String(execution.nodeError(NODE)?.message);
	return `${execution.items(NODE).length}${hints.length > 0 ? ' warned' : ''}`;
}

suite('lists of public APIs', { skip }, () => {
	test('whole lists: all records, and no question', async (t) => {
		const wrong: string[] = [];
		for (const { name, complete, mayAsk } of shapes) {
			const found = await outcome(t, () => complete);
			if (found !== '3' && !(mayAsk && found === '3 warned')) wrong.push(`${name}: ${found}`);
		}
		assert.deepEqual(wrong, []);
	});

	test('first pages: all records, or a question', async (t) => {
		const wrong: string[] = [];
		for (const { name, first, second, secondWhen = [] } of shapes) {
			if (first === undefined) continue;
			const isSecond = ({ query }: Request) =>
				secondWhen.some(([parameter, value]) => query.get(parameter) === value);
			const found = await outcome(t, (request) => (isSecond(request) ? second : first));
			if (!/^3|warned$|incomplete/.test(found)) wrong.push(`${name}: ${found}`);
		}
		assert.deepEqual(wrong, []);
	});
});
