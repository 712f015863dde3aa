/** A short soak. `npm run soak` runs longer ones. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { makePlan } from '../soak/plan.mts';
import { soak, type Result } from '../soak/run.mts';
import { judge } from '../soak/verdict.mts';

suite('soak', { concurrency: 1, skip: process.platform === 'win32' }, () => {
	let result: Result;

	test('40 calls end while n8n is killed twice, and each recording is archived', async (t) => {
		const plan = makePlan({ calls: 40, kills: 2, seed: 1 });
		result = await soak(plan, (line) => t.diagnostic(line));
		const { checks } = judge(result);
		assert.deepEqual(
			checks.flatMap(({ what, faults }) => faults.map((fault) => `${what}: ${fault}`)),
			[],
		);
	});

	suite('the verdict is not good', () => {
		const spoilt: Record<string, () => Partial<Result>> = {
			'if an archived file is altered': () => ({
				files: result.files.map((file) =>
					file === anyFile() ? { ...file, content: Buffer.from('other') } : file,
				),
			}),
			'if an archived file is missing': () => ({
				files: result.files.filter((file) => file !== anyFile()),
			}),
			'if two executions that succeeded have archived the same recording': () => {
				const { writer, later } = twins();
				const written = [...result.writers].filter(([, id]) => id === writer);
				const copies = result.files
					.filter(({ name }) => result.writers.get(name) === writer)
					.map((file) => ({ ...file, name: `copy_${file.name}` }));
				const others = written.map(([name]) => [`copy_${name}`, later] as const);
				return {
					files: [...result.files, ...copies],
					writers: new Map([...result.writers, ...others]),
				};
			},
			'if the archive has a recording of a call that was not recorded': () => {
				const { sessionGuid } = plannedCall(false);
				return { files: [...result.files, { ...anyFile(), name: `call_${sessionGuid}_1.opus` }] };
			},
			'if a recording was deleted too early': () => ({
				wrongDeletes: [plannedCall(true).sessionGuid],
			}),
			'if a recording is left at the service': () => ({
				recordings: result.recordings.map((one, index) =>
					index === 0 ? { ...one, state: 'stored' } : one,
				),
			}),
			'if a recording was purged': () => ({
				recordings: result.recordings.map((one, index) =>
					index === 0 ? { ...one, state: 'purged' } : one,
				),
			}),
			'if an execution is stuck': () => ({
				executions: result.executions.map((one, index) =>
					index === 0 ? { ...one, status: 'running' } : one,
				),
			}),
		};
		for (const [when, change] of Object.entries(spoilt)) {
			test(when, () => {
				assert.equal(judge({ ...result, ...change() }).isGood, false);
			});
		}
	});

	/** The recording of a call that has one copy. */
	function anyFile() {
		const isOnly = ({ sessionGuid }: { sessionGuid: string }) =>
			result.files.filter(({ name }) => name.includes(sessionGuid)).length === 2;
		const only = result.plan.calls.find((call) => call.recording && isOnly(call));
		const file = result.files.find(
			({ name }) => name.includes(String(only?.sessionGuid)) && !name.endsWith('.json'),
		);
		assert.ok(file);
		return file;
	}

	function plannedCall(isRecorded: boolean) {
		const call = result.plan.calls.find(
			({ recording }) => (recording !== undefined) === isRecorded,
		);
		assert.ok(call);
		return call;
	}

	/** The id of an execution that has archived a recording, and of one that has begun when it had ended. */
	function twins() {
		const done = result.executions.filter(
			({ status, workflowId }) => status === 'success' && workflowId === result.archiveId,
		);
		const ids = new Set(result.writers.values());
		const first = done.find(({ id }) => ids.has(id));
		const second = done.find(({ startedMs }) => first && startedMs > first.stoppedMs);
		assert.ok(first && second);
		return { writer: first.id, later: second.id };
	}
});
