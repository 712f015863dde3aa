/**
 * The outputs of the operations are those that docs/reference.md shows. test/n8n/trigger compares
 * those of the triggers, which need the whole n8n.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { voiceAgent } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { assertAsShown, shownBelow } from '../docs/shownOutput.mts';
import { sharedEngine } from './engines.mts';
import { inRecording } from './oneRecording.mts';

const GONE = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const engine = await sharedEngine();

const outputOf = async (parameters: Record<string, unknown>, sessionGuid = GONE) => {
	const execution = await engine.runNode({
		parameters,
		items: [{ sessionGuid }],
		settings: { onError: 'continueRegularOutput' },
	});
	return execution.items(NODE)[0]?.json;
};

suite('the reference shows the output', { concurrency: 1 }, () => {
	test('of the operations of a recording', async () => {
		const { control } = engine.emulator;
		const { sessionGuid } = await control.addRecording({ password: PASSWORD });
		const on = async (operation: string) => await outputOf(inRecording(operation), sessionGuid);
		assertAsShown('Recording: Download', await on('download'));
		assertAsShown('Recording: Get Many', await on('getMany'));
		assertAsShown(
			'Connection: Check',
			await outputOf({ resource: 'connection', operation: 'check' }),
		);
		assertAsShown('Output without proof', await on('delete'));
	});

	test('of Decrypt, and a metadata file', async () => {
		const { control } = engine.emulator;
		const { sessionGuid } = await control.addRecording({ password: PASSWORD });
		const decrypted = await engine.runNode({
			before: [voiceAgent(inRecording('download', { decrypt: 'never' }), { name: 'Fetch' })],
			parameters: inRecording('decrypt'),
			items: [{ sessionGuid }],
		});
		assertAsShown('Recording: Decrypt', decrypted.items(NODE)[0]?.json);

		const options = { addMetadata: true };
		const downloaded = await engine.runNode({
			parameters: inRecording('download', { options }),
			items: [{ sessionGuid }],
		});
		const file = downloaded.items(NODE)[1]?.binary?.data;
		assert.ok(file);
		const content: unknown = JSON.parse((await engine.n8n.binary(file)).toString());
		assertAsShown('Metadata files', content, 'docs/customizing.md');
	});

	test('of a call', async () => {
		const call = { specifyBody: 'json', jsonBody: '{ "to": "+15550100" }' };
		const output = await outputOf({ resource: 'call', operation: 'make', ...call });
		assertAsShown('Call: Make', output);
	});

	test('of numbers', async () => {
		const on = async (fields: Record<string, unknown>, item: object) => {
			const parameters = { resource: 'call', ...fields };
			const execution = await engine.runNode({ parameters, items: [item as never] });
			return execution.items(NODE)[0]?.json;
		};
		const check = { operation: 'screenNumbers', numbers: '030 123456', doNotCall: 'none' };
		assert.deepEqual(await on(check, {}), shownBelow('Call: Screen Numbers'));
		const match = { operation: 'matchNumber', number: '+44 20 7946 0958' };
		const item = { to: '0044 20 7946 0958' };
		assert.deepEqual(await on(match, item), shownBelow('Call: Match Number'));
	});

	test('of Explore', async () => {
		await engine.emulator.control.reset();
		const parameters = { resource: 'connection', operation: 'explore' };
		const execution = await engine.runNode({ parameters, items: [{}] });
		const questions = execution.items(NODE).map(({ json }) => json);
		const shown = shownBelow('Connection: Explore') as { question: string };
		const same = questions.find(({ question }) => question === shown.question);
		assert.deepEqual(same, shown);
	});

	test('of an item that failed, in the same words', async () => {
		const output = JSON.stringify(await outputOf(inRecording('download')))
			.replaceAll(engine.emulator.url, 'https://voiceagent.example.com')
			.replaceAll(GONE, '9dab0589-d407-4bf2-b18c-18510284ced7');
		assert.deepEqual(JSON.parse(output), shownBelow('Errors', 'docs/integration.md'));
	});
});
