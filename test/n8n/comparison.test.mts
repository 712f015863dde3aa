/**
 * Proves each row of docs/comparison.md: both ways under the same condition. The proofs share one n8n. Each has
 * a service of its own, so they run side by side; only the one that measures memory has n8n to itself.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { packedPackage, startN8n, type N8n } from '../../harness/n8n/n8n.mts';
import { addService } from '../../harness/stack.mts';
import { callsWebhooksAndLists } from './comparison/callsWebhooksAndLists.mts';
import { decrypting } from './comparison/decrypting.mts';
import { downloading } from './comparison/downloading.mts';
import { flowsIn, type Proof } from './comparison/flows.mts';
import { sameEitherWay } from './comparison/sameEitherWay.mts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'comparison.md');
const proofs = [...decrypting, ...downloading, ...callsWebhooksAndLists, ...sameEitherWay];
const isMeasured = ([situation]: Proof) => situation === 'A recording of many megabytes';

suite('what a hand-built flow does differently', { concurrency: 1 }, () => {
	let n8n: N8n;
	before(async () => {
		n8n = await startN8n({
			packages: [packedPackage()],
			// As a user who builds the flow by hand must have it.
			env: { NODE_FUNCTION_ALLOW_BUILTIN: 'crypto' },
		});
	});
	after(async () => await n8n?.stop());

	function prove([situation, proof]: Proof): void {
		test(situation, async () => {
			const stack = await addService(n8n, { webhookTimeoutMs: 15_000 });
			try {
				await proof(await flowsIn(stack));
			} finally {
				await stack.stop();
			}
		});
	}

	test('each row of docs/comparison.md has a proof, and each proof a row', () => {
		assert.deepEqual(
			situationsOn(readFileSync(PAGE, 'utf8')),
			proofs.map(([situation]) => situation),
		);
	});

	for (const proof of proofs.filter(isMeasured)) prove(proof);

	suite('side by side', { concurrency: 4 }, () => {
		for (const proof of proofs.filter((one) => !isMeasured(one))) prove(proof);
	});
});

/** The first column of every table. */
function situationsOn(page: string): string[] {
	return page
		.split('\n')
		.filter((line) => line.startsWith('|'))
		.map((line) => line.split('|')[1]?.trim() ?? '')
		.filter((cell) => cell !== 'Situation' && !/^-+$/.test(cell));
}
