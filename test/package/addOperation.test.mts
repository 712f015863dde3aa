import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { INodeType, NodeHelpers as Helpers } from 'n8n-workflow';

const ROOT = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const { NodeHelpers } = require('n8n-workflow') as { NodeHelpers: typeof Helpers };

/** A contributor writes this file, and adds one line to the `index.ts` of its resource. */
const OPERATION = `
import { operation, outputItem } from '../../fields/operation';

export const play = operation({
	name: 'Play',
	value: 'play',
	action: 'Play a recording',
	description: 'Play a recording to a caller',
	usesAccount: true,
	fields: [
		{ displayName: 'Is Plain', name: 'isPlain', type: 'boolean', default: false },
		{ displayName: 'Volume', name: 'volume', type: 'number', default: 5 },
	],
	async execute({ isPlain, volume }, itemIndex) {
		return [outputItem(itemIndex, { isPlain, doubled: volume * 2 })];
	},
});
`;

suite('an operation that was added with one file and one line', () => {
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent-operation-'));
	after(() => rmSync(folder, { recursive: true, force: true }));
	for (const name of ['nodes', 'credentials', 'tsconfig.json', 'tsconfig.base.json']) {
		cpSync(join(ROOT, name), join(folder, name), { recursive: true });
	}
	symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

	const resource = join(folder, 'nodes/VoiceAgent/recording');
	writeFileSync(join(resource, 'play.operation.ts'), OPERATION);
	appendFileSync(join(resource, 'index.ts'), "export { play } from './play.operation';\n");
	const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
	execFileSync(process.execPath, [compiler, '--project', folder], { stdio: 'inherit' });

	const built = require(join(folder, 'dist/nodes/VoiceAgent/VoiceAgent.node.js')) as {
		VoiceAgent: new () => INodeType;
	};
	const node = new built.VoiceAgent();
	const { properties } = node.description;
	const selected = { resource: 'recording', operation: 'play' };

	test('is in the menu of its resource', () => {
		const menu = properties.find(
			({ name, displayOptions }) =>
				name === 'operation' && displayOptions?.show?.resource?.includes('recording'),
		);
		assert.deepEqual(menu?.options?.at(-1), {
			name: 'Play',
			value: 'play',
			action: 'Play a recording',
			description: 'Play a recording to a caller',
		});
	});

	test('shows the credential with the part of the account that it uses', () => {
		const shown = node.description.credentials?.filter((credential) =>
			NodeHelpers.displayParameter(selected, credential, null, null),
		);
		assert.deepEqual(
			shown?.map(({ name }) => name),
			['voiceAgentApi'],
		);
	});

	test('shows its fields, and no other operation does', () => {
		const shown = (parameters: Record<string, string>) =>
			properties
				.filter(({ name }) => ['isPlain', 'volume'].includes(name))
				.filter((field) => NodeHelpers.displayParameter(parameters, field, null, null))
				.map(({ name }) => name);
		assert.deepEqual(shown(selected), ['isPlain', 'volume']);
		assert.deepEqual(shown({ ...selected, operation: 'delete' }), []);
		assert.deepEqual(shown({ ...selected, resource: 'call' }), []);
	});

	test('runs, with its parameters read and typed', async () => {
		const parameters: Record<string, unknown> = { ...selected, volume: '4' };
		const context = {
			getInputData: () => [{ json: {} }],
			getNodeParameter: (name: string, _item: number, fallback: unknown) =>
				parameters[name] ?? fallback,
			getNode: () => ({ name: 'VoiceAgent' }),
			continueOnFail: () => false,
		};
		const output = await node.execute?.call(context as never);
		assert.deepEqual(output, [[{ json: { isPlain: false, doubled: 8 }, pairedItem: { item: 0 } }]]);
	});
});
