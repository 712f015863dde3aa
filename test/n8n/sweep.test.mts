import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';

import type { Execution, Workflow } from '../../harness/n8n/n8n.mts';
import {
	archiveToFolder,
	nodeOf,
	readWorkflow,
	sweepInto,
	withSettings,
	type SweepName,
} from '../../harness/workflows.mts';
import { chain, NODE, PASSWORD, startStack, type Stack } from '../../harness/stack.mts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

suite('workflows: sweeps and the failure notice', () => {
	let stack: Stack;
	let folder: string;
	let archiveId: string;
	let noticeId: string;
	let chat: Server;
	/** What the chat was told. */
	const notices: string[] = [];

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-sweep-'));
		chat = createServer((request, response) => {
			let body = '';
			request.on('data', (chunk: Buffer) => (body += chunk.toString()));
			request.on('end', () => {
				notices.push((JSON.parse(body) as { text: string }).text);
				response.end('ok');
			});
		}).listen(0, '127.0.0.1');
		await new Promise((resolve) => chat.once('listening', resolve));
		stack = await startStack({ n8n: { allowedPaths: [folder] } });
		const { n8n, credentials } = stack;
		const noticeUrl = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/hook`;
		noticeId = await n8n.importWorkflow(
			withSettings(readWorkflow('failure-notice'), { noticeUrl }),
			credentials,
		);
		await n8n.activate(noticeId);
		archiveId = await n8n.importWorkflow(reporting(archiveToFolder(folder), noticeId), credentials);
		await n8n.activate(archiveId);
	});
	after(async () => {
		await stack?.stop();
		chat?.close();
		await rm(folder, { recursive: true, force: true });
	});
	afterEach(async () => {
		const { control, url } = { control: stack.emulator.control, url: stack.emulator.url };
		control.clearFaults();
		for (const { sessionGuid, state } of control.recordings()) {
			if (state !== 'stored') continue;
			await fetch(`${url}/api/customer/recordings/${sessionGuid}`, {
				method: 'DELETE',
				headers: { Token: 'demo-key' },
			});
		}
		control.clearLogs();
	});

	/** A recording whose call ended so many days ago. */
	async function waiting(days: number, password?: string): Promise<string> {
		const { control } = stack.emulator;
		const endedAt = new Date(control.now() - days * DAY).toISOString();
		return (await control.addRecording({ endedAt, password })).sessionGuid;
	}

	const ledger = (sessionGuid: string) => stack.ledger(sessionGuid);

	async function assertArchived(sessionGuid: string): Promise<void> {
		const file = await readFile(join(folder, `${sessionGuid}.opus`));
		assert.equal(createHash('sha256').update(file).digest('hex'), ledger(sessionGuid).plainSha256);
		assert.equal(ledger(sessionGuid).state, 'deleted');
	}

	/** Session GUIDs of the downloads so far, in their order. */
	const downloads = () =>
		stack.emulator.control
			.requests()
			.filter(({ method, path }) => method === 'GET' && /recordings\/./.test(path))
			.map(({ path }) => path.split('/').at(-1));

	/** The first notice that fits: a failure in a sweep brings two, and those of former tests may come late. */
	async function noticeWith(...parts: string[]): Promise<string> {
		const deadline = Date.now() + 60_000;
		for (;;) {
			const found = notices.find((text) => parts.every((part) => text.includes(part)));
			if (found !== undefined) return found;
			assert.ok(
				Date.now() < deadline,
				`no notice with ${parts.join(', ')}:\n${notices.join('\n')}`,
			);
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	}

	const sweeps: Record<SweepName, (runs: number, into?: string) => Promise<Execution[]>> = {
		/** Looks once when it is published, and starts one run for each recording. */
		async 'sweep-before-purge'(runs, into = archiveId) {
			const { n8n, credentials } = stack;
			const workflow = reporting(sweepInto(into, 'sweep-before-purge'), noticeId);
			const workflowId = await n8n.importWorkflow(workflow, credentials);
			await n8n.activate(workflowId);
			const executions = await n8n.waitForExecutions({ workflowId, count: runs });
			await n8n.deactivate(workflowId);
			return executions;
		},
		/** One run for all of them. */
		async 'sweep-on-schedule'(_runs, into = archiveId) {
			const { n8n, credentials } = stack;
			const workflow = sweepInto(into, 'sweep-on-schedule');
			const workflowId = await n8n.importWorkflow(workflow, credentials);
			return [await n8n.run(workflowId, { trigger: 'Every hour' })];
		},
	};

	const messages = (executions: Execution[]) =>
		executions.map(({ error }) => String(error?.message)).join('\n');

	for (const [name, sweep] of Object.entries(sweeps)) {
		suite(name, () => {
			test('47: archives what is still listed, the oldest first', async () => {
				const guids: Record<number, string> = {};
				for (const days of [1, 6.5, 3, 0.5]) {
					guids[days] = await waiting(days, days > 2 ? PASSWORD : undefined);
				}
				const executions = await sweep(4);
				assert.deepEqual(
					executions.map(({ status, error }) => error?.message ?? status),
					executions.map(() => 'success'),
				);
				for (const sessionGuid of Object.values(guids)) await assertArchived(sessionGuid);
				const order =
					name === 'sweep-before-purge'
						? executions.map((run) => run.items('Recording is waiting')[0]?.json.sessionGuid)
						: downloads();
				assert.deepEqual(
					order,
					[6.5, 3, 1, 0.5].map((days) => guids[days]),
				);
			});

			test('leaves calls that have just ended to the webhook', async () => {
				const young = await waiting(5 / (24 * 60));
				const old = await waiting(1);
				await sweep(1);
				await assertArchived(old);
				assert.equal(ledger(young).state, 'stored');
				assert.deepEqual(downloads(), [old]);
			});

			test('one that fails is reported and stays; the others are archived', async () => {
				const spoilt = await waiting(3, PASSWORD);
				const good = await waiting(2, PASSWORD);
				await stack.emulator.control.tamper(spoilt, { flipBitAt: 100 });
				const executions = await sweep(2);
				await assertArchived(good);
				assert.equal(ledger(spoilt).state, 'stored');
				const text = messages(executions);
				assert.match(text, new RegExp(`The recording ${spoilt} is not archived`));
				assert.match(text, /The recording cannot be decrypted/);
				assert.doesNotMatch(text, /ALARM|LOST/);
				assert.ok(executions.some(({ nodes }) => nodes.at(-1) === 'Not archived yet'));
			});

			test('48: from day 5 it is an alarm that says until when the recording is kept', async () => {
				const spoilt = await waiting(5.2, PASSWORD);
				await stack.emulator.control.tamper(spoilt, { flipBitAt: 100 });
				const [execution] = await sweep(1);
				assert.equal(execution?.status, 'error');
				assert.equal(execution?.nodes.at(-1), 'Alarm');
				assert.match(messages([execution]), new RegExp(`ALARM[^]*${spoilt} is not archived`));
				const callEnd = Date.parse(ledger(spoilt).endedAt);
				assert.ok(messages([execution]).includes(new Date(callEnd + 7 * DAY).toISOString()));
			});

			test('48: one that is purged before its turn, and is not archived, is reported as lost', async () => {
				const lost = await waiting(6.9);
				stack.emulator.control.addFault({
					match: { endpoint: 'downloadRecording', sessionGuid: lost },
					times: 'always',
					fault: { kind: 'status', status: 404 },
				});
				const [execution] = await sweep(1);
				assert.equal(execution?.status, 'error');
				assert.match(
					messages([execution]),
					new RegExp(`(LOST|ALARM)[^]*${lost} was still listed by the service, but was gone`),
				);
			});

			test('an archive workflow that does not say what became of a recording is a failure', async () => {
				const guids = [await waiting(3), await waiting(2)];
				const silent = await stack.n8n.importWorkflow(silentWorkflow());
				await stack.n8n.activate(silent);
				const executions = await sweep(2, silent);
				for (const sessionGuid of guids) {
					assert.match(
						messages(executions),
						new RegExp(`${sessionGuid} is not archived[^]*did not say what became of it`),
					);
				}
				assert.ok(executions.every(({ nodes }) => nodes.at(-1) === 'Not archived yet'));
			});

			test('one that another run has archived in the meantime is not', async () => {
				const archived = await waiting(2);
				await writeFile(join(folder, `${archived}.opus`), 'archived by another run');
				stack.emulator.control.addFault({
					match: { endpoint: 'downloadRecording', sessionGuid: archived },
					times: 'always',
					fault: { kind: 'status', status: 404 },
				});
				const [execution] = await sweep(1);
				assert.equal(execution?.status, 'success', execution?.error?.message);
			});
		});
	}

	test('sweep-before-purge, started by hand, takes up each recording that is waiting', async () => {
		const { n8n, credentials } = stack;
		const [spoilt, ...good] = [
			await waiting(3, PASSWORD),
			await waiting(2, PASSWORD),
			await waiting(1),
		];
		await stack.emulator.control.tamper(spoilt, { flipBitAt: 100 });
		const workflow = sweepInto(archiveId, 'sweep-before-purge');
		const id = await n8n.importWorkflow(workflow, credentials);
		const execution = await n8n.run(id, { trigger: 'Recording is waiting' });
		for (const sessionGuid of good) await assertArchived(sessionGuid);
		assert.equal(ledger(spoilt).state, 'stored');
		assert.deepEqual(
			execution.items('Archived').map(({ json }) => json.sessionGuid),
			good,
		);
		assert.match(
			messages([execution]),
			new RegExp(`${spoilt} is not archived.*cannot be decrypted`),
		);
	});

	test('a field of the record that is named like one of the output does not mislead a sweep', async () => {
		const sessionGuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
		const record = {
			sessionGuid,
			callEndedAt: 'last Tuesday',
			retentionEndsAt: 17,
			to: '+15550100',
		};
		const service = createServer((_request, response) => {
			response.setHeader('Content-Type', 'application/json');
			response.end(JSON.stringify([record]));
		}).listen(0, '127.0.0.1');
		await once(service, 'listening');
		const { port } = service.address() as AddressInfo;
		const voiceAgentApi = await stack.n8n.createCredential({
			name: 'Another service',
			type: 'voiceAgentApi',
			data: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'demo-key' },
		});
		const { parameters } = nodeOf(readWorkflow('sweep-on-schedule'), 'List what is waiting');
		const execution = await stack.runNode({ parameters, credentials: { voiceAgentApi } });
		service.close();
		assert.deepEqual(
			execution.items(NODE).map(({ json }) => json),
			[{ sessionGuid, callEndedAt: null, retentionEndsAt: null, hoursLeft: null, to: '+15550100' }],
		);
	});

	test('sweep-on-schedule archives what it could read of a list, and the next run goes on', async () => {
		const { control } = stack.emulator;
		const guids: string[] = [];
		for (const days of [4, 3, 2]) guids.push(await waiting(days));
		control.setShapes({ list: 'paged', paging: 'afterGuid', pageSize: 2 });
		try {
			for (const _run of [1, 2]) {
				const [execution] = await sweeps['sweep-on-schedule'](1);
				assert.equal(execution?.status, 'success', execution?.error?.message);
			}
		} finally {
			control.resetShapes();
		}
		for (const sessionGuid of guids) await assertArchived(sessionGuid);
	});

	test('a sweep cannot be published before its archive workflow', async () => {
		const { n8n, credentials } = stack;
		const unpublished = await n8n.importWorkflow(archiveToFolder(folder), credentials);
		const sweep = await n8n.importWorkflow(
			sweepInto(unpublished, 'sweep-before-purge'),
			credentials,
		);
		await assert.rejects(n8n.activate(sweep), /"Archive it" references workflow .* not published/);
	});

	suite('failure-notice', () => {
		test('names the recording at risk, until when it is kept, and what else is waiting', async () => {
			const spoilt = await waiting(5.5, PASSWORD);
			const others = [await waiting(5 / (24 * 60)), await waiting(6 / (24 * 60))];
			await stack.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			await sweeps['sweep-before-purge'](1);
			const text = await noticeWith('ALARM', spoilt);
			const keptUntil = new Date(Date.parse(ledger(spoilt).endedAt) + 7 * DAY).toISOString();
			assert.match(text, /\*Sweep: archive recordings before they are purged\* has failed: http/);
			assert.match(
				text,
				new RegExp(`Recording at risk: ${spoilt}, kept by the service until ${keptUntil}`),
			);
			assert.match(text, /Reason: ALARM: .* cannot be decrypted/);
			assert.match(text, /Recordings that are still at the service: 3/);
			// The first to be purged comes first.
			const listed = [...text.matchAll(/^- (\S+) is purged at/gm)].map(([, guid]) => guid);
			assert.equal(listed[0], spoilt);
			assert.deepEqual(listed.slice(1).sort(), others.sort());
			for (const secret of [PASSWORD, 'demo-key']) assert.ok(!text.includes(secret));
		});

		test('is sent even where the service cannot be reached', async () => {
			const { control } = stack.emulator;
			const sessionGuid = await waiting(1);
			control.addFault({ match: {}, times: 'always', fault: { kind: 'status', status: 401 } });
			const { n8n } = stack;
			control.setWebhooks({ callEnd: await n8n.webhookUrl(archiveId, 'When a call ends') });
			await control.sendCallEnd(sessionGuid);
			const text = await noticeWith(`Recording at risk: ${sessionGuid}`);
			assert.match(text, /could not be listed: The service does not accept the API key/);
		});

		test('tells of a failure that names no recording', async () => {
			const { control } = stack.emulator;
			control.addFault({
				match: { endpoint: 'listRecordings' },
				times: 'always',
				fault: { kind: 'status', status: 401 },
			});
			await sweeps['sweep-before-purge'](1);
			const text = await noticeWith('The failure names no recording');
			assert.match(text, /Reason: The service does not accept the API key/);
		});
	});
});

/** A workflow with the error workflow that its user chooses in its settings. */
function reporting<T extends { settings?: object }>(workflow: T, errorWorkflow: string): T {
	workflow.settings = { ...workflow.settings, errorWorkflow };
	return workflow;
}

/** An archive workflow that ends without an item. */
function silentWorkflow(): Workflow {
	const trigger = nodeOf(readWorkflow('archive-to-folder'), 'When a sweep finds one');
	const nothing = {
		name: 'Nothing',
		type: 'n8n-nodes-base.limit',
		typeVersion: 1,
		parameters: { maxItems: 0 },
		id: 'nothing',
		position: [220, 0],
	};
	return {
		name: 'Silent archive',
		nodes: [trigger, nothing],
		connections: chain([trigger.name, nothing.name]),
	};
}
