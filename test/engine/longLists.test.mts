/** A service that keeps 100,000 recordings. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { inRecording } from './oneRecording.mts';
import { ownService, type Reply, type Request } from './ownService.mts';

const engine = await sharedEngine();

const COUNT = 100_000;
const PAGE = 1_000;
/** Of the first calls; the last ones ended a day later. */
const ENDED = Date.now() - 48 * 3_600_000;
const guid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
/** Not in the list. */
const missing = (index: number) => `11111111-0000-4000-8000-${String(index).padStart(12, '0')}`;

/** A page of the list, made when it is asked for; any other request is answered with 404. */
function answer({ path, query }: Request, note = ''): Reply {
	if (!path.endsWith('/recordings')) return { status: 404, body: { message: 'no such recording' } };
	const from = Number(query.get('cursor') ?? 0);
	const data = Array.from({ length: PAGE }, (_, index) => ({
		sessionGuid: guid(from + index),
		endedAt: new Date(ENDED + ((from + index) % 86_400) * 1000).toISOString(),
		note,
	}));
	const nextCursor = from + PAGE < COUNT ? String(from + PAGE) : null;
	return { body: { data, nextCursor } };
}

suite('a service that keeps 100,000 recordings', () => {
	test('a list that is only searched is not kept in memory', async (t) => {
		setFlagsFromString('--expose-gc');
		const collectGarbage = runInNewContext('gc') as () => void;
		const heap: number[] = [];
		/** 100 MB in all. */
		const note = 'n'.repeat(1_000);
		const { run } = await ownService(t, engine, (request) => {
			if (Number(request.query.get('cursor')) % 20_000 === 10_000) {
				collectGarbage();
				heap.push(process.memoryUsage().heapUsed);
			}
			return answer(request, note);
		});
		const operations = [
			inRecording('delete', { recording: byGuid(missing(1)) }),
			{ resource: 'connection', operation: 'check' },
		];
		for (const parameters of operations) {
			heap.length = 0;
			const execution = await run({ parameters });
			assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
			const first = heap.at(0) ?? 0;
			const last = heap.at(-1) ?? Infinity;
			const grown = Math.round((last - first) / 1e6);
			t.diagnostic(`${parameters.operation}: ${grown} MB more from page 10 to page 90`);
			assert.ok(heap.length >= 5 && grown < 50, `${parameters.operation}: ${grown} MB`);
		}
	});
});
