/** rescue-before-purge: what it stores of recordings that are still at the service on day 5. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';

import type { Execution, Workflow } from '../../../harness/n8n/n8n.mts';
import { addService, PASSWORD, type Stack } from '../../../harness/stack.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { chatOf, type Host } from '../suite.mts';

const DAY = 24 * 3_600_000;
export const TRIGGER = 'When a recording is 5 days old';
const WRITE = 'Write untouched recording to folder';

/** The workflow with the values that its user enters. */
export function configuredRescue(folder: string, url: string): Workflow {
	const workflow = readWorkflow('rescue-before-purge');
	nodeOf(workflow, WRITE).parameters.fileName = `=${folder}/{{ $json.fileName }}`;
	nodeOf(workflow, 'Post the notice to your chat').parameters.url = url;
	return workflow;
}

export function rescueSuite(getHost: () => Host): void {
	suite('workflow: rescue-before-purge', { concurrency: 1 }, () => {
		const chat = chatOf();
		let stack: Stack;
		let folder: string;
		// A service and a folder of its own for each test.
		beforeEach(async () => {
			const host = getHost();
			folder = await mkdtemp(join(host.folder, 'rescue {a,b} [c]-'));
			stack = await addService(host.n8n);
		});
		afterEach(async () => await stack?.stop());

		/** Publishes the workflow until it has started `count` executions. */
		async function rescue(count: number): Promise<Execution[]> {
			const { n8n, credentials } = stack;
			const workflowId = await n8n.importWorkflow(configuredRescue(folder, chat.url), credentials);
			await n8n.activate(workflowId);
			const executions = await n8n.waitForExecutions({ workflowId, count });
			await n8n.deactivate(workflowId);
			return executions;
		}

		async function recording(
			days: number,
			options: { password?: string; content?: Uint8Array } = {},
		) {
			const { control } = stack.emulator;
			const endedAt = new Date(control.now() - days * DAY).toISOString();
			const { sessionGuid } = await control.addRecording({ endedAt, ...options });
			return sessionGuid;
		}

		const stored = async (sessionGuid: string) =>
			await readFile(await stack.emulator.control.storedFile(sessionGuid));
		const nameOf = async (sessionGuid: string, extension = 'enc') =>
			`${sessionGuid.toLowerCase()}_${sha256(await stored(sessionGuid))}.${extension}`;
		const messages = () => chat.messages.filter((text) => text.includes(folder));

		/**
		 * Asserts that the untouched file and its metadata lie in the folder, and that the service
		 * still has the recording.
		 */
		async function assertRescued(sessionGuid: string, extension = 'enc'): Promise<void> {
			const name = await nameOf(sessionGuid, extension);
			const content = await stored(sessionGuid);
			assert.deepEqual(await readFile(join(folder, name)), content);
			const metadata = JSON.parse(
				await readFile(join(folder, name.replace(/\w+$/, 'json')), 'utf8'),
			) as { sessionGuid: string; endedAt: string; file: Record<string, unknown> };
			assert.equal(metadata.sessionGuid, sessionGuid);
			assert.equal(metadata.endedAt, stack.ledger(sessionGuid).endedAt);
			assert.equal(metadata.file.sha256, sha256(content));
			assert.equal(metadata.file.bytes, content.length);
			assert.equal(stack.ledger(sessionGuid).state, 'stored');
			const deleted = stack.emulator.control.requests().filter(({ method }) => method === 'DELETE');
			assert.deepEqual(deleted, []);
		}

		test('a recording that is still at the service is stored untouched from day 5 on', async () => {
			const { control } = stack.emulator;
			const wrong = await recording(5.1, { password: 'forgotten' });
			const cut = await recording(5.2, { password: PASSWORD });
			await control.tamper(cut, { truncateTo: 900 });
			const noise = await recording(6.7, { content: randomBytes(20_000) });
			const good = await recording(5.5, { password: PASSWORD });
			const plain = [await recording(6.5), await recording(6.6)];
			// Its end is missing at the service.
			await control.tamper(String(plain[1]), { truncateTo: 600 });
			const young = await recording(4.9, { password: 'forgotten' });
			const executions = await rescue(6);
			const guidOf = (one: Execution) => one.items(TRIGGER)[0]?.json.sessionGuid;
			const guids = executions.map(guidOf);
			assert.deepEqual(guids.sort(), [wrong, cut, noise, good, ...plain].sort());
			// What is not known to be a recording is stored, too, but is no rescue.
			const verified = [good, plain[0]];
			for (const execution of executions) {
				const isRescue = verified.includes(String(guidOf(execution)));
				assert.equal(execution.status, isRescue ? 'success' : 'error');
				if (!isRescue) assert.match(String(execution.error?.message), /^Not rescued, so look at/);
			}
			for (const guid of [wrong, cut, noise, good]) await assertRescued(guid);
			for (const guid of plain) await assertRescued(guid, 'opus');
			assert.equal((await readdir(folder)).length, 12);
			assert.equal(stack.ledger(young).state, 'stored');
			assert.equal(messages().length, 2);
			const notice = await chat.noticeWith(good);
			assert.ok(notice.includes(join(folder, await nameOf(good))), notice);
			const endedAt = Date.parse(stack.ledger(good).endedAt);
			assert.ok(notice.includes(new Date(endedAt + 7 * DAY).toISOString()), notice);

			// Later, the young one is old enough too. By hand, the workflow stores all of them again,
			// under the same names.
			control.advanceClock(DAY / 4);
			const { n8n, credentials } = stack;
			const id = await n8n.importWorkflow(configuredRescue(folder, chat.url), credentials);
			const { error } = await n8n.run(id, { trigger: TRIGGER });
			assert.match(String(error?.message), /^Not rescued, so look at it/);
			await assertRescued(young);
			assert.equal((await readdir(folder)).length, 14);
			assert.equal(messages().length, 2 + 2);
		});

		test('a file that the folder loses, cuts or refuses is not reported as rescued', async () => {
			const device = await recording(5.1, { password: 'forgotten' });
			const sidecar = await recording(5.2, { password: 'forgotten' });
			const good = await recording(5.3, { password: PASSWORD });
			await symlink('/dev/null', join(folder, await nameOf(device)));
			await symlink('/dev/full', join(folder, await nameOf(sidecar, 'json')));
			const executions = await rescue(3);
			for (const guid of [device, sidecar]) {
				const execution = executions.find(
					(one) => one.items(TRIGGER)[0]?.json.sessionGuid === guid,
				);
				assert.equal(execution?.status, 'error');
				assert.equal(execution.nodes.at(-1), 'Compare files with download');
				assert.match(String(execution.error?.description), new RegExp(guid));
				assert.equal(stack.ledger(guid).state, 'stored');
			}
			await assertRescued(good);
			assert.equal(messages().length, 1);
			assert.ok(messages()[0]?.includes(good));
		});

		const audio = { contentType: 'audio/mpeg', body: '<div>Zur\xfcck</div>' };
		const faults = [
			['answering with a part of a page as audio', { kind: 'status', status: 200, ...audio }],
			['cutting connections', { kind: 'drop', afterBytes: 700 }],
		] as const;
		for (const [name, fault] of faults) {
			test(`a service that is ${name} is a failure, not a rescue`, async () => {
				const match = { endpoint: 'downloadRecording' } as const;
				stack.emulator.control.addFault({ match, times: 'always', fault });
				const guid = await recording(5.1, { password: 'forgotten' });
				const [execution] = await rescue(1);
				assert.equal(execution?.status, 'error');
				assert.match(String(execution.error?.description), new RegExp(guid));
				assert.deepEqual(await readdir(folder), []);
				assert.deepEqual(messages(), []);
				assert.equal(stack.ledger(guid).state, 'stored');
			});
		}
	});
}
