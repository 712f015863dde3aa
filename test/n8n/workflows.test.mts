import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import type { WorkflowNode } from '../../harness/n8n/n8n.mts';
import { readWorkflow, withSettings, workflowNames } from '../../harness/workflows.mts';
import { PASSWORD, startStack, type Stack } from '../../harness/stack.mts';

const NOTE = 'n8n-nodes-base.stickyNote';
const SIZE = 100;

interface Property {
	name: string;
	type: string;
	displayOptions?: { show?: Record<string, unknown[]> };
	/** Of a collection, its members; of a fixed collection, its groups. */
	options?: Property[];
	/** Members of a group. */
	values?: Property[];
}

/** Names of parameters, also within collections, that the resource and operation of a node do not have. */
function unknownParameters(
	parameters: Record<string, unknown>,
	properties: Property[],
	selected = parameters,
): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const property = properties.find(
			({ displayOptions: { show = {} } = {}, ...one }) =>
				one.name === name &&
				['resource', 'operation'].every((by) => show[by]?.includes(selected[by]) ?? true),
		);
		if (property === undefined) return [name];
		const { options = [] } = property;
		const groups = value as Record<string, Record<string, unknown>[]>;
		switch (property.type) {
			case 'collection':
				return unknownParameters(value as Record<string, unknown>, options, selected);
			case 'fixedCollection':
				return options.flatMap((group) =>
					(groups[group.name] ?? []).flatMap((entry) =>
						unknownParameters(entry, group.values ?? [], selected),
					),
				);
			default:
				return [];
		}
	});
}

suite('workflow files', () => {
	let stack: Stack;
	let folder: string;
	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-workflows-'));
		stack = await startStack({ n8n: { allowedPaths: [folder] } });
	});
	after(async () => {
		await stack?.stop();
		await rm(folder, { recursive: true, force: true });
	});

	for (const name of workflowNames) {
		suite(name, () => {
			const workflow = readWorkflow(name);
			const notes = workflow.nodes.filter(({ type }) => type === NOTE);
			const nodes = workflow.nodes.filter(({ type }) => type !== NOTE);

			test('can be imported: n8n knows every node in its version', async () => {
				const id = await stack.n8n.importWorkflow(readWorkflow(name));
				const stored = await stack.n8n.rest<{ nodes: WorkflowNode[] }>(
					'GET',
					`/rest/workflows/${id}`,
				);
				assert.equal(stored.nodes.length, workflow.nodes.length);
			});

			test('our nodes have every parameter that it sets', async () => {
				const ours = nodes.filter(({ type }) => type.startsWith('n8n-nodes-voiceagent.'));
				// n8n adds these to the tool that it derives from a node, and does not describe that tool.
				const ofTools = ['descriptionType', 'toolDescription'];
				const types = await stack.n8n.rest<Array<{ properties: Property[] }>>(
					'POST',
					'/rest/node-types',
					{
						nodeInfos: ours.map(({ type, typeVersion }) => ({
							name: type.replace(/Tool$/, ''),
							version: typeVersion,
						})),
					},
				);
				for (const [index, { name, type, parameters }] of ours.entries()) {
					const unknown = unknownParameters(parameters, types[index]?.properties ?? []);
					const added = type.endsWith('Tool') ? ofTools : [];
					assert.deepEqual(
						unknown.filter((one) => !added.includes(one)),
						[],
						name,
					);
				}
			});

			test('brings no credential, result or id of its author along', () => {
				assert.deepEqual(
					nodes.filter(({ credentials }) => credentials !== undefined),
					[],
				);
				assert.deepEqual(workflow.pinData, {});
				assert.deepEqual(Object.keys(workflow).sort(), [
					'connections',
					'name',
					'nodes',
					'pinData',
					'settings',
				]);
			});

			test('every node is connected, and no two share a name or an id', () => {
				const connections = Object.entries(workflow.connections) as [string, object][];
				const connected = new Set([
					...connections.map(([from]) => from),
					...connections.flatMap(([, outputs]) =>
						[...JSON.stringify(outputs).matchAll(/"node":"([^"]+)"/g)].map(([, to]) => to),
					),
				]);
				assert.deepEqual(
					nodes.filter((node) => !connected.has(node.name)).map((node) => node.name),
					[],
				);
				for (const field of ['name', 'id']) {
					const values = workflow.nodes.map((node) => node[field]);
					assert.equal(new Set(values).size, values.length, field);
				}
			});

			test('nothing lies upon anything else', () => {
				const place = (node: WorkflowNode) => {
					const [x = 0, y = 0] = node.position as number[];
					const { width = SIZE, height = SIZE } = node.parameters as Record<string, number>;
					return { name: node.name, x, y, right: x + width, bottom: y + height };
				};
				const overlaps = (one: WorkflowNode, other: WorkflowNode) => {
					const [a, b] = [place(one), place(other)];
					return a.x < b.right && b.x < a.right && a.y < b.bottom && b.y < a.bottom;
				};
				for (const group of [nodes, notes]) {
					for (const [index, one] of group.entries()) {
						for (const other of group.slice(index + 1)) {
							assert.ok(!overlaps(one, other), `${one.name} and ${other.name}`);
						}
					}
				}
			});

			test('its notes say how to set it up, and name nodes that there are', () => {
				const about = notes.find((note) => note.name === 'About this workflow');
				const text = String(about?.parameters.content);
				assert.match(text, /### Set up\n1\. /);
				assert.ok(notes.length >= 2);
				const named = notes.flatMap(({ parameters }) =>
					[...String(parameters.content).matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(
						([, one]) => one,
					),
				);
				const options = ['Try Again After'];
				const known = [...nodes.map((node) => node.name), ...options];
				assert.deepEqual(
					named.filter((one) => !known.includes(String(one))),
					[],
				);
			});
		});
	}

	suite('recording-policy', () => {
		before(async () => {
			const { n8n, credentials, emulator } = stack;
			const workflow = withSettings(
				readWorkflow('recording-policy'),
				{ recordedNumbers: '+49 , +1555' },
				'Policy',
			);
			const id = await n8n.importWorkflow(workflow, credentials);
			await n8n.activate(id);
			emulator.control.setWebhooks({
				callStart: await n8n.webhookUrl(id, 'When a call starts'),
			});
		});
		after(() => stack.emulator.control.setWebhooks({ callStart: null }));

		async function call(to: string) {
			const { control } = stack.emulator;
			control.clearLogs();
			const { sessionGuid } = control.placeCall({ to, durationSeconds: 1 });
			await control.completedCall(sessionGuid);
			const delivery = control.deliveries().find(({ event }) => event === 'CallStart');
			const recording = control.recordings().find((one) => one.sessionGuid === sessionGuid);
			return { status: delivery?.status, recording };
		}

		for (const to of ['+15550100', '+4930123456']) {
			test(`a call to ${to} is recorded and encrypted`, async () => {
				const { status, recording } = await call(to);
				assert.equal(status, 200);
				assert.equal(recording?.encrypted, true);
				assert.equal(recording?.format, 'opus');
			});
		}

		test('a call to another number is not recorded', async () => {
			assert.deepEqual(await call('+33123456789'), { status: 200, recording: undefined });
		});

		test('nor is one whose number the webhook shows elsewhere', async () => {
			const { control } = stack.emulator;
			control.setShapes({ webhookBody: 'nested' });
			try {
				assert.deepEqual(await call('+15550100'), { status: 200, recording: undefined });
			} finally {
				control.resetShapes();
			}
		});
	});

	suite('decrypt-folder', () => {
		/** Puts an encrypted recording into the folder, as it was downloaded long ago. */
		async function oldRecording(name: string, password: string) {
			const { control } = stack.emulator;
			const recording = await control.addRecording({ password, format: 'mp3' });
			const file = join(folder, `${name}.enc`);
			await copyFile(await control.storedFile(recording.sessionGuid), file);
			return { name, file, sha256: recording.plainSha256 };
		}

		test('decrypts with current and previous passwords, and names each file it refuses', async () => {
			const { n8n, credentials } = stack;
			const voiceAgentRecordingPasswordApi = await n8n.createCredential({
				name: 'Passwords',
				type: 'voiceAgentRecordingPasswordApi',
				data: { password: PASSWORD, previous: { entries: [{ password: 'the former one' }] } },
			});
			const id = await n8n.importWorkflow(
				withSettings(readWorkflow('decrypt-folder'), { folder }),
				{ ...credentials, voiceAgentRecordingPasswordApi },
			);
			const good = [
				await oldRecording('b-current', PASSWORD),
				await oldRecording('d-previous', 'the former one'),
			];
			const allDecrypted = await n8n.run(id, { trigger: 'Start' });
			assert.equal(allDecrypted.status, 'success', allDecrypted.error?.message);

			const unknown = await oldRecording('c-unknown', 'some other password');
			const cut = await oldRecording('a-cut', PASSWORD);
			await writeFile(cut.file, (await readFile(cut.file)).subarray(0, -1));
			await writeFile(join(folder, 'e-short.enc'), 'too short');
			const execution = await n8n.run(id, { trigger: 'Start' });
			assert.equal(execution.status, 'error');
			const message = String(execution.error?.message);
			assert.match(message, /^3 of 5 files were not decrypted; the others are written/);
			assert.match(message, /^a-cut\.enc: The recording cannot be decrypted/m);
			assert.match(message, /^c-unknown\.enc: The recording cannot be decrypted/m);
			assert.match(message, /^e-short\.enc: /m);

			assert.deepEqual((await readdir(folder)).sort(), [
				'a-cut.enc',
				'b-current.enc',
				'b-current.mp3',
				'c-unknown.enc',
				'd-previous.enc',
				'd-previous.mp3',
				'e-short.enc',
			]);
			for (const { name, sha256 } of good) {
				const audio = await readFile(join(folder, `${name}.mp3`));
				assert.equal(createHash('sha256').update(audio).digest('hex'), sha256);
			}
			assert.ok((await readFile(unknown.file)).length > 44, 'encrypted files stay');
		});
	});
});
