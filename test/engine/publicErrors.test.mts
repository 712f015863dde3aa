/** Answers with which public APIs refuse a request: whatever the status is, the user reads what the service says. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { root } from '../../scripts/paths.mjs';
import { sharedEngine } from './engines.mts';
import { ownService } from './ownService.mts';

interface Refusal {
	name: string;
	status: number;
	body: unknown;
	/** Of these texts, one must be shown. */
	says: string[];
}

const file = join(root, '../shared/vectors/errors.json');
const skip = existsSync(file) ? false : 'the published vectors are not here';

test('refusals of public APIs are shown', { skip }, async (t) => {
	const refusals = JSON.parse(readFileSync(file, 'utf8')) as Refusal[];
	const engine = await sharedEngine();
	const remaining = [...refusals];
	const { voiceAgentApi } = await ownService(t, engine, () => remaining.shift() ?? {});
	const silent: string[] = [];
	for (const { name, says } of refusals) {
		const execution = await engine.runNode({
			// A call is never sent twice, so that each request gets the next answer.
			parameters: {
				resource: 'call',
				operation: 'make',
				specifyBody: 'json',
				jsonBody: '{"to":"1"}',
			},
			credentials: { voiceAgentApi },
		});
		const text = String(execution.nodeError(NODE)?.description);
		if (!says.some((sentence) => text.includes(sentence))) silent.push(`${name}: ${text}`);
	}
	assert.deepEqual(silent, []);
});
