/** Several accounts of the service in one archive workflow, as docs/customizing.md tells how to set them up. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { recordingTrigger, voiceAgentTrigger } from '../../../harness/flow.mts';
import type { Credential, N8n, Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { missingOpenSsh, startSftp, type Sftp } from '../../../harness/standIns/sftp.mts';
import { nodeOf, readWorkflow, sweepInto } from '../../../harness/workflows.mts';

const permissions = ['listRecordings', 'downloadRecording', 'deleteRecording'] as const;
const ACCOUNTS = ['sales', 'support'] as const;
type Account = (typeof ACCOUNTS)[number];

const webhook = (account: Account) => `When a call of ${account} ends`;
const waiting = (account: Account) => `When a recording of ${account} is waiting`;

/** A node "Edit Fields" that adds the account to each item. */
function account(name: string, value: string): WorkflowNode {
	const assignments = [{ id: 'a1', name: 'account', value, type: 'string' }];
	return {
		id: randomUUID(),
		name,
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		position: [0, 0],
		parameters: { assignments: { assignments }, includeOtherFields: true, options: {} },
	};
}

const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });

export function accountsSuite(getN8n: () => N8n): void {
	suite('several accounts', { concurrency: 1, skip: missingOpenSsh() }, () => {
		let sftp: Sftp;
		const stacks = {} as Record<Account, Stack>;
		let archiveId: string;
		let ofAll: Credential;

		before(async () => {
			const n8n = getN8n();
			sftp = await startSftp();
			for (const name of ACCOUNTS) {
				stacks[name] = await addService(n8n, {
					apiKeys: [{ key: `key-of-${name}`, permissions }],
				});
			}
			const all = (field: (name: Account) => string) =>
				`={{ (${JSON.stringify(Object.fromEntries(ACCOUNTS.map((name) => [name, field(name)])))})[$('Account').item.json.account] }}`;
			ofAll = await n8n.createCredential({
				name: 'All accounts',
				type: 'voiceAgentApi',
				data: {
					baseUrl: all((name) => stacks[name].emulator.url),
					apiKey: all((name) => `key-of-${name}`),
				},
			});
			const credentials = {
				...stacks.sales.credentials,
				sftp: await n8n.createCredential(sftp.credential),
				voiceAgentApi: ofAll,
			};
			archiveId = await n8n.importWorkflow(archive(), credentials);
			await n8n.activate(archiveId);
			for (const name of ACCOUNTS) {
				const callEnd = await n8n.webhookUrl(archiveId, webhook(name));
				stacks[name].emulator.control.setWebhooks({ callEnd });
			}
		});
		after(async () => {
			for (const stack of Object.values(stacks)) await stack.stop();
			await sftp?.close();
		});

		/** archive-to-sftp with a trigger for each account, and the node "Account" behind them. */
		function archive(): Workflow {
			const workflow = readWorkflow('archive-to-sftp');
			const upload = nodeOf(workflow, 'Upload recording by SFTP').parameters;
			upload.path = `=${sftp.folder}/{{ $json.fileName }}`;
			const { options } = nodeOf(workflow, 'Download recording').parameters;
			Object.assign(options as object, {
				outputFileName: '{account}/{date}/{time}_{sessionGuid}.{extension}',
			});
			const [first, second] = ACCOUNTS;
			const connections = workflow.connections as Record<string, unknown>;
			delete connections['When a call ends'];
			workflow.nodes = [
				...workflow.nodes.filter(({ name }) => name !== 'When a call ends'),
				...ACCOUNTS.map((name) => ({
					id: randomUUID(),
					position: [0, 0],
					...voiceAgentTrigger({ event: 'callEnd', options: {} }, webhook(name)),
				})),
				account(
					'Account',
					`={{ $json.account ?? ($('${webhook(first)}').isExecuted ? '${first}' : '${second}') }}`,
				),
			];
			for (const name of ['When a sweep finds a recording', ...ACCOUNTS.map(webhook)]) {
				connections[name] = to('Account');
			}
			connections.Account = to('Download recording');
			return workflow;
		}

		/** sweep-before-purge with a trigger for each account, and a node behind it that says which. */
		function sweep(): Workflow {
			const workflow = sweepInto(archiveId);
			const [first] = ACCOUNTS;
			const trigger = nodeOf(workflow, 'When a recording is waiting');
			const reference = `$('${trigger.name}')`;
			const { [trigger.name]: next, ...connections } = workflow.connections as Record<
				string,
				unknown
			>;
			const text = JSON.stringify({
				...workflow,
				connections,
				nodes: workflow.nodes.filter((one) => one !== trigger),
			});
			const changed = JSON.parse(text.replaceAll(reference, "$('Account')")) as Workflow;
			const value = `={{ $('${waiting(first)}').isExecuted ? 'sales' : 'support' }}`;
			changed.nodes.push(account('Account', value));
			const list = nodeOf(changed, 'List recordings at the service');
			list.credentials = { voiceAgentApi: ofAll };
			for (const name of ACCOUNTS) {
				changed.nodes.push({
					...(recordingTrigger(trigger.parameters, waiting(name)) as WorkflowNode),
					id: randomUUID(),
					position: [0, 0],
					credentials: { voiceAgentApi: own[name] },
				});
				Object.assign(changed.connections as object, { [waiting(name)]: to('Account') });
			}
			Object.assign(changed.connections as object, { Account: next });
			return changed;
		}
		const own = {} as Record<Account, { id: string; name: string }>;

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
				const [execution] = await executionsFor(getN8n(), query);
				assert.equal(execution?.status, 'success', execution?.error?.message);
				await assertArchived(name, sessionGuid);
			}
		});

		test('one sweep for all accounts', async () => {
			const n8n = getN8n();
			const guids: Array<[Account, string]> = [];
			for (const name of ACCOUNTS) {
				const { emulator } = stacks[name];
				const data = { baseUrl: emulator.url, apiKey: `key-of-${name}` };
				const { id } = await n8n.createCredential({ name, type: 'voiceAgentApi', data });
				own[name] = { id, name };
				const endedAt = new Date(emulator.control.now() - 86_400_000).toISOString();
				guids.push([name, (await emulator.control.addRecording({ endedAt })).sessionGuid]);
			}
			const workflowId = await n8n.importWorkflow(sweep());
			await n8n.activate(workflowId);
			const executions = await n8n.waitForExecutions({ workflowId, count: 2 });
			await n8n.deactivate(workflowId);
			for (const { status, error } of executions) assert.equal(status, 'success', error?.message);
			for (const [name, sessionGuid] of guids) await assertArchived(name, sessionGuid);
		});

		for (const [name, trigger, before, output] of [
			['daily-report', 'Every morning', 'Every morning', 'Write the report'],
			['failure-notice', 'When a workflow fails', 'When a workflow fails', 'Write the notice'],
		] as const) {
			test(`${name} looks at all accounts, also if one refuses its key`, async () => {
				const n8n = getN8n();
				const workflow = readWorkflow(name);
				const jsCode = `return ${JSON.stringify(ACCOUNTS)}.map((account) => ({ json: { account } }));`;
				const type = { type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
				workflow.nodes.push({ id: randomUUID(), name: 'Account', position: [0, 400], ...type });
				const list = 'List recordings at the service';
				Object.assign(workflow.connections as object, {
					[before]: to('Account'),
					Account: to(list),
				});
				nodeOf(workflow, list).credentials = { voiceAgentApi: ofAll };
				const id = await n8n.importWorkflow(workflow);
				const guids: string[] = [];
				for (const account of ACCOUNTS) {
					const { control } = stacks[account].emulator;
					const endedAt = new Date(control.now() - 2.1 * 86_400_000).toISOString();
					guids.push((await control.addRecording({ endedAt })).sessionGuid);
				}
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
	});
}
