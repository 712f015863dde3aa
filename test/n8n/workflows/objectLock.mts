/** archive-to-s3 and a bucket with Object Lock. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { enterBucket } from '../../../harness/standIns/archives.mts';
import { startS3, type S3 } from '../../../harness/standIns/s3.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { publishArchive } from '../archived.mts';
import { serviceOf } from '../suite.mts';
import { sweepOfOne } from './sweepOfOne.mts';

const DAY = 24 * 3_600_000;
const HOLD = { name: 'x-amz-object-lock-legal-hold', value: 'ON' };
const UPLOAD = 'Upload recording to S3';

export function objectLockSuite(getN8n: () => N8n): void {
	suite('archive-to-s3, in a bucket with Object Lock', { concurrency: 1 }, () => {
		const stack = serviceOf(getN8n);

		/**
		 * Archives a recording.
		 *
		 * @returns what the archive workflow has output, and the name of the file in the bucket
		 */
		async function archived(s3: S3, headers: object[]) {
			const to = '+15550100';
			const { control } = stack.emulator;
			const { sessionGuid, plainSha256 } = await control.addRecording({ password: PASSWORD, to });
			const workflow = readWorkflow('archive-to-s3');
			const { parameters } = nodeOf(workflow, UPLOAD);
			enterBucket(workflow, s3.url);
			const given = (parameters.headerParameters as { parameters: object[] }).parameters;
			parameters.headerParameters = { parameters: [...given, ...headers] };
			const id = await publishArchive(stack, workflow, [s3.credential]);
			const endedAt = new Date(Date.now() - 3_600_000).toISOString();
			const listed = { sessionGuid, endedAt, recording: { to } };
			const outcome = await sweepOfOne(stack, id, listed);
			const file = (await s3.objects()).find(
				({ key }) => key.includes(sessionGuid) && !key.endsWith('.json'),
			);
			return { sessionGuid, plainSha256, outcome, key: file?.key ?? '' };
		}

		for (const [what, days, headers, hold] of [
			['the retention of the bucket', 30, [], false],
			['a legal hold', 0, [HOLD], true],
		] as const) {
			test(`${what}: the recording is archived, and cannot be removed`, async (t) => {
				const s3 = await startS3('call-recordings', days);
				t.after(async () => await s3.close());
				const { sessionGuid, plainSha256, outcome, key } = await archived(s3, [...headers]);
				assert.ok(outcome.archivedAt, JSON.stringify(outcome));
				assert.equal(stack.ledger(sessionGuid).state, 'deleted');
				for (const name of [key, key.replace(/\w+$/, 'json')]) {
					const [version, ...more] = s3.lock?.of(`/call-recordings/${name}`) ?? [];
					assert.ok(version && more.length === 0, name);
					assert.equal(version.hasLegalHold, hold);
					assert.ok(Math.abs(version.retainUntil - (days && Date.now() + days * DAY)) < 60_000);
					const address = `${s3.url}${encodeURIComponent(name)}`;
					const remove = async (query = '') =>
						await fetch(`${address}${query}`, { method: 'DELETE' });
					const one = `?versionId=${version.id}`;
					assert.equal((await remove(one)).status, 403);
					// Neither a deletion nor another upload of that name touches it.
					assert.equal((await remove()).status, 204);
					assert.equal((await fetch(address)).status, 404);
					const content = Buffer.from(await (await fetch(`${address}${one}`)).arrayBuffer());
					assert.equal(sha256(content) === plainSha256, name === key);
				}
			});
		}

		test('an upload that does not arrive as it was sent is refused by the bucket itself', async (t) => {
			const s3 = await startS3('call-recordings');
			t.after(async () => await s3.close());
			const wrong = { name: 'x-amz-checksum-sha256', value: Buffer.alloc(32).toString('base64') };
			const { sessionGuid, outcome } = await archived(s3, [wrong]);
			assert.match(JSON.stringify(outcome), /error/);
			assert.deepEqual([await s3.objects(), stack.ledger(sessionGuid).state], [[], 'stored']);
		});
	});
}
