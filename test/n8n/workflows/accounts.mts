/** Several accounts of the service in one archive workflow, set up as docs/customizing.md says. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { baseNode, recordingTrigger, voiceAgentTrigger } from '../../../harness/flow.mts';
import type { Credential, Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { accountData, PASSWORD, WEBHOOK_SECRET } from '../../../harness/serviceAccess.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { missingOpenSsh, startSftp } from '../../../harness/standIns/sftp.mts';
import { nodeOf, readWorkflow, SWEEP_TRIGGER, sweepInto } from '../../../harness/workflows.mts';
import { CALL_END } from '../archived.mts';
import { shared, succeeded, type Host } from '../suite.mts';
import { configuredRescue, TRIGGER as RESCUE_TRIGGER } from './rescue.mts';

const permissions = ['listRecordings', 'downloadRecording', 'deleteRecording'] as const;
const ACCOUNTS = ['sales', 'support'] as const;
type Account = (typeof ACCOUNTS)[number];

const webhook = (account: Account) => `When a call of ${account} ends`;
const waiting = (account: Account) => `When a recording of ${account} is waiting`;

/** A node "Edit Fields" that adds the account to each item. */
function account(value: string): WorkflowNode {
	const assignments = [{ id: 'a1', name: 'account', value, type: 'string' }];
	const parameters = { assignments: { assignments }, includeOtherFields: true };
	return { ...baseNode('Account', 'set', 3.4, parameters), ...placed() };
}

/** What n8n's editor gives to each node. */
const placed = () => ({ id: randomUUID(), position: [0, 0] });

const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });

export function accountsSuite(getHost: () => Host): void {
	suite('several accounts', { concurrency: 1, skip: missingOpenSsh() }, () => {
		const sftp = shared(startSftp);
		const stacks = {} as Record<Account, Stack>;
		let archiveId: string;
		let ofAll: Credential;
		const own = {} as Record<Account, { id: string; name: string }>;

		before(async () => {
			const { n8n } = getHost();
			for (const name of ACCOUNTS) {
				const apiKey = `key-of-${name}`;
				stacks[name] = await addService(n8n, { apiKeys: [{ key: apiKey, permissions }] });
				const secrets = { apiKey, password: PASSWORD, webhookSecret: WEBHOOK_SECRET };
				const data = accountData(stacks[name].emulator.url, secrets);
				const { id } = await n8n.createCredential({ name, type: 'voiceAgentApi', data });
				own[name] = { id, name };
			}
			/** An expression for the value that a field has for the account of the item. */
			const all = (field: (name: Account) => string) => {
				const values = Object.fromEntries(ACCOUNTS.map((name) => [name, field(name)]));
				return `={{ (${JSON.stringify(values)})[$('Account').item.json.account] }}`;
			};
			ofAll = await n8n.createCredential({
				name: 'All accounts',
				type: 'voiceAgentApi',
				data: {
					baseUrl: all((name) => stacks[name].emulator.url),
					apiKey: all((name) => `key-of-${name}`),
				},
			});
			// The nodes of the service have theirs already.
			const credentials = { sftp: await n8n.createCredential(sftp.credential) };
			archiveId = await n8n.importWorkflow(archive(), credentials);
			await n8n.activate(archiveId);
			for (const name of ACCOUNTS) {
				const callEnd = await n8n.webhookUrl(archiveId, webhook(name));
				stacks[name].emulator.control.setWebhooks({ callEnd });
			}
		});
		after(async () => {
			for (const stack of Object.values(stacks)) await stack.stop();
		});

		/** archive-to-sftp with a trigger for each account. */
		function archive(): Workflow {
			const workflow = readWorkflow('archive-to-sftp');
			for (const name of ['Upload recording by SFTP', 'Read recording back by SFTP']) {
				nodeOf(workflow, name).parameters.path = `=${sftp.folder}/{{ $json.fileName }}`;
			}
			const { options } = nodeOf(workflow, 'Download recording').parameters;
			Object.assign(options as object, {
				outputFileName: '{account}/{date}/{time}_{sessionGuid}.{extension}',
			});
			const changed = forAll(workflow, CALL_END, (name) => ({
				...voiceAgentTrigger({ event: 'callEnd', options: {} }, webhook(name)),
				credentials: { voiceAgentApi: own[name] },
			}));
			Object.assign(changed.connections, { 'When a sweep finds a recording': to('Account') });
			return changed;
		}

		/** A workflow with a trigger for each account, and a node behind them that says which. */
		function forAll(
			workflow: Workflow,
			triggerName: string,
			triggerOf = (name: Account): WorkflowNode => ({
				...recordingTrigger(nodeOf(workflow, triggerName).parameters, waiting(name)),
				credentials: { voiceAgentApi: own[name] },
			}),
		): Workflow {
			const trigger = nodeOf(workflow, triggerName);
			const { [triggerName]: next, ...connections } = workflow.connections as Record<
				string,
				unknown
			>;
			const text = JSON.stringify({
				...workflow,
				connections,
				nodes: workflow.nodes.filter((one) => one !== trigger),
			});
			const changed = JSON.parse(
				text.replaceAll(`$('${triggerName}')`, "$('Account')"),
			) as Workflow;
			for (const node of changed.nodes) {
				if (/\.voiceAgent$/.test(node.type)) node.credentials = { voiceAgentApi: ofAll };
			}
			const [first, second] = ACCOUNTS;
			const isFirst = `$('${triggerOf(first).name}').isExecuted`;
			changed.nodes.push(
				account(`={{ $json.account ?? (${isFirst} ? '${first}' : '${second}') }}`),
			);
			for (const one of ACCOUNTS.map(triggerOf)) {
				changed.nodes.push({ ...placed(), ...one });
				Object.assign(changed.connections, { [one.name]: to('Account') });
			}
			Object.assign(changed.connections, { Account: next });
			return changed;
		}
		async function assertArchived(name: Account, sessionGuid: string): Promise<void> {
			const files = (await sftp.files()).filter((file) => file.name.includes(sessionGuid));
			assert.deepEqual(
				files.map((file) => file.name.split('/')[0]),
				[name, name],
			);
			assert.equal(stacks[name].ledger(sessionGuid).state, 'deleted');
		}

		test('each recording is read with the key of its account, and archived in its folder', async () => {
			for (const name of ACCOUNTS) {
				const { control } = stacks[name].emulator;
				const { sessionGuid } = await control.addRecording();
				await control.sendCallEnd(sessionGuid);
				const query = { workflowId: archiveId, trigger: webhook(name), sessionGuid, count: 1 };
				succeeded((await executionsFor(getHost().n8n, query))[0]);
				await assertArchived(name, sessionGuid);
			}
		});

		/** Stores a recording of each account, whose call ended that many days ago. */
		async function recordings(days: number): Promise<Array<[Account, string]>> {
			const guids: Array<[Account, string]> = [];
			for (const name of ACCOUNTS) {
				const { control } = stacks[name].emulator;
				const endedAt = new Date(control.now() - days * 86_400_000).toISOString();
				guids.push([name, (await control.addRecording({ endedAt })).sessionGuid]);
			}
			return guids;
		}

		/** What the workflow does by itself with a recording of each account. */
		async function triggered(workflow: Workflow, days: number): Promise<Array<[Account, string]>> {
			const { n8n } = getHost();
			const guids = await recordings(days);
			const workflowId = await n8n.importWorkflow(workflow);
			await n8n.activate(workflowId);
			const executions = await n8n.waitForExecutions({ workflowId, count: 2 });
			await n8n.deactivate(workflowId);
			executions.forEach(succeeded);
			return guids;
		}

		test('one sweep archives the recordings of all accounts', async () => {
			const guids = await triggered(forAll(sweepInto(archiveId), SWEEP_TRIGGER), 1);
			for (const [name, sessionGuid] of guids) await assertArchived(name, sessionGuid);
		});

		for (const [name, trigger, output] of [
			['report-and-status', 'Every morning', 'Write the report'],
			['failure-notice', 'When a workflow fails', 'Write the notice'],
		] as const) {
			test(`${name} looks at all accounts, also if one refuses its key`, async () => {
				const { n8n } = getHost();
				const workflow = readWorkflow(name);
				const names = JSON.stringify(ACCOUNTS);
				const jsCode = `return ${names}.map((account) => ({ json: { account } }));`;
				workflow.nodes.push({ ...baseNode('Account', 'code', 2, { jsCode }), ...placed() });
				const list = 'List recordings at the service';
				Object.assign(workflow.connections, { [trigger]: to('Account'), Account: to(list) });
				nodeOf(workflow, list).credentials = { voiceAgentApi: ofAll };
				const id = await n8n.importWorkflow(workflow);
				const guids = (await recordings(2.1)).map(([, guid]) => guid);
				const text = async () => {
					const execution = await n8n.run(id, { trigger, destination: output });
					return String(execution.items(output)[0]?.json.text);
				};
				const both = await text();
				for (const guid of guids) assert.ok(both.includes(guid), both);
				const fault = { kind: 'status', status: 401 } as const;
				stacks.sales.emulator.control.addFault({ match: {}, times: 'always', fault });
				const one = await text();
				stacks.sales.emulator.control.clearFaults();
				assert.match(one, /could not be listed: The service does not accept the API key/);
				assert.ok(one.includes(String(guids[1])), one);
			});
		}

		test('one rescue stores the recordings of all accounts', async () => {
			const folder = await mkdtemp(join(getHost().folder, 'rescue-'));
			const rescue = forAll(configuredRescue(folder, ''), RESCUE_TRIGGER);
			nodeOf(rescue, 'Post the notice to your chat').disabled = true;
			const guids = await triggered(rescue, 5.5);
			const files = await readdir(folder);
			for (const [name, sessionGuid] of guids) {
				assert.equal(files.filter((file) => file.startsWith(sessionGuid)).length, 2);
				assert.equal(stacks[name].ledger(sessionGuid).state, 'stored');
			}
		});
	});
}
