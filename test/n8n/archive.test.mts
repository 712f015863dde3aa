import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, suite, test } from 'node:test';

import type { RecordingFormat } from '../../emulator/src/index.mts';
import type { Execution } from '../../tools/n8n.mts';
import { archiveToFolder } from '../../tools/workflows.mts';
import { PASSWORD, startStack, type Stack } from './stack.mts';

suite('workflow: archive to a folder', () => {
	let stack: Stack;
	let folder: string;
	let workflowId: string;
	let archived = 0;

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-archive-'));
		stack = await startStack({ n8n: { allowedPaths: [folder] } });
		workflowId = await stack.n8n.importWorkflow(archiveToFolder(folder), stack.credentials);
		await stack.n8n.activate(workflowId);
		stack.emulator.control.setWebhooks({
			callEnd: await stack.n8n.webhookUrl(workflowId, 'When a call ends'),
		});
	});
	after(async () => {
		await stack?.stop();
		await rm(folder, { recursive: true, force: true });
	});
	beforeEach(() => stack.emulator.control.clearLogs());

	/** The next run of the workflow. */
	async function nextExecution(): Promise<Execution> {
		const executions = await stack.n8n.waitForExecutions({ workflowId, count: ++archived });
		const last = executions.at(-1);
		assert.ok(last);
		return last;
	}

	const ledger = (sessionGuid: string) => {
		const entry = stack.emulator.control
			.recordings()
			.find((recording) => recording.sessionGuid === sessionGuid);
		assert.ok(entry);
		return entry;
	};

	for (const format of ['opus', 'mp3', 'wav'] as const satisfies RecordingFormat[]) {
		for (const password of [null, PASSWORD]) {
			test(`a call, recorded as ${format}, ${password ? 'encrypted' : 'plain'}`, async () => {
				const { control } = stack.emulator;
				control.setDefaultInstructions({
					recordCall: true,
					recordCallFormat: format,
					recordCallPassword: password,
				});
				const call = control.placeCall({ to: '+15550100', durationSeconds: 3 });
				await control.completedCall(call.sessionGuid);
				const execution = await nextExecution();
				assert.equal(execution.status, 'success', execution.error?.message);

				const recording = ledger(call.sessionGuid);
				const file = join(folder, `${call.sessionGuid}.${format}`);
				const digest = createHash('sha256')
					.update(await readFile(file))
					.digest('hex');
				assert.equal(digest, recording.plainSha256);
				assert.equal((await stat(file)).size, recording.plainBytes);
				assert.equal(recording.state, 'deleted');
				assert.deepEqual(execution.items('Delete at the service')[0]?.json, {
					sessionGuid: call.sessionGuid,
					deleted: true,
				});
				// The service saw one download, then one delete, and nothing else.
				const path = `/api/customer/recordings/${call.sessionGuid}`;
				assert.deepEqual(
					control.requests().map((request) => `${request.method} ${request.path}`),
					[`GET ${path}`, `DELETE ${path}`],
				);
				// What the service was told is recorded too: 200 and a small JSON.
				const delivery = control.deliveries().find(({ event }) => event === 'CallEnd');
				assert.equal(delivery?.status, 200);
				assert.deepEqual(JSON.parse(delivery?.replyBody ?? ''), {
					received: true,
					sessionGuid: call.sessionGuid,
				});
			});
		}
	}

	test('29: the same CallEnd again ends quietly, and the archived file stays as it is', async () => {
		const { control } = stack.emulator;
		const [before] = await readdir(folder);
		assert.ok(before);
		const content = await readFile(join(folder, before));
		const sessionGuid = before.replace(/\.\w+$/, '');
		await control.sendCallEnd(sessionGuid, { event: 'CallEnd', sessionGuid });
		const execution = await nextExecution();
		assert.equal(execution.status, 'success', execution.error?.message);
		assert.ok(execution.nodes.includes('Nothing to archive'));
		assert.deepEqual(await readFile(join(folder, before)), content);
		assert.ok(!control.requests().some(({ method }) => method === 'DELETE'));
	});

	test('a call that was not recorded ends quietly', async () => {
		const { control } = stack.emulator;
		control.setDefaultInstructions({ recordCall: false });
		const call = control.placeCall({ to: '+15550100', durationSeconds: 1 });
		await control.completedCall(call.sessionGuid);
		const execution = await nextExecution();
		assert.equal(execution.status, 'success', execution.error?.message);
		assert.ok(execution.nodes.includes('Nothing to archive'));
	});

	const losses: Array<[string, (sessionGuid: string) => Promise<unknown>, RegExp]> = [
		[
			'21: an altered recording is neither archived nor deleted',
			async (sessionGuid) => await stack.emulator.control.tamper(sessionGuid, { flipBitAt: 500 }),
			/was not archived and is still at the service\. The recording cannot be decrypted/,
		],
		[
			'43: a file that cannot be written is not deleted at the service',
			// A folder of the very name of the file stands in the way.
			async (sessionGuid) => await mkdir(join(folder, `${sessionGuid}.opus`)),
			/EISDIR|directory/,
		],
	];
	for (const [name, spoil, message] of losses) {
		test(name, async () => {
			const { control } = stack.emulator;
			const { sessionGuid } = await control.addRecording({ password: PASSWORD });
			await spoil(sessionGuid);
			await control.sendCallEnd(sessionGuid);
			const execution = await nextExecution();
			assert.equal(execution.status, 'error');
			assert.match(String(execution.error?.message), message);
			assert.equal(ledger(sessionGuid).state, 'stored');
			assert.ok(!control.requests().some(({ method }) => method === 'DELETE'));
		});
	}
});
