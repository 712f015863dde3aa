/** A soak fails if anything is missing, altered, left, stuck or deleted too early. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sha256 } from '../../harness/standIns/storedFiles.mts';
import { makePlan } from '../soak/plan.mts';
import type { Result } from '../soak/run.mts';
import { faultsOf } from '../soak/verdict.mts';

const { calls } = makePlan({ calls: 1, kills: 0, seed: 1 });
const [{ sessionGuid }] = calls as [(typeof calls)[number]];
const content = Buffer.from('audio');
const plainSha256 = sha256(content);
const metadata = Buffer.from(JSON.stringify({ file: { sha256: plainSha256 } }));
const recording = { name: `${sessionGuid}.opus`, content };
const files = [recording, { name: `${sessionGuid}.json`, content: metadata }];
const good = {
	plan: { calls },
	recordings: [{ sessionGuid, plainSha256, state: 'deleted' }],
	files,
	executions: [{ id: '1', workflowId: 'a', status: 'success' }],
	wrongDeletes: [],
	deletes: 1,
	webhooksTaken: 1,
} as unknown as Result;

test('a soak in which all is archived is good', () => assert.deepEqual(faultsOf(good), []));

const stray = { name: 'another.opus', content };
const spoilt: Record<string, Partial<Result>> = {
	'a missing file': { files: [] },
	'an altered file': {
		files: [{ ...recording, content: Buffer.from('other') }, ...files.slice(1)],
	},
	'a stray file': { files: [...files, stray] },
	'an early delete': { wrongDeletes: [sessionGuid] },
	'a recording that is left': {
		recordings: good.recordings.map((one) => ({ ...one, state: 'stored' })),
	},
	'an execution that is stuck': {
		executions: good.executions.map((one) => ({ ...one, status: 'running' })),
	},
};
for (const [what, change] of Object.entries(spoilt)) {
	test(`${what} is a fault`, () => assert.equal(faultsOf({ ...good, ...change }).length, 1));
}
