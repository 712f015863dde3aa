/**
 * The outputs of the operations are those that docs/integration.md shows. test/n8n/trigger compares
 * those of the triggers, which need the whole n8n.
 */
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { assertAsShown } from '../docs/shownOutput.mts';
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

suite('docs/integration.md shows the output', { concurrency: 1 }, () => {
	test('of the operations of a recording', async () => {
		const { control } = engine.emulator;
		const { sessionGuid } = await control.addRecording({ password: PASSWORD });
		const on = async (operation: string) => await outputOf(inRecording(operation), sessionGuid);
		assertAsShown('Recording: Download and Decrypt', await on('download'));
		assertAsShown('Recording: Get Many', await on('getMany'));
		assertAsShown(
			'Connection: Check',
			await outputOf({ resource: 'connection', operation: 'check' }),
		);
		assertAsShown('Recording: Delete', await on('delete'));
	});

	test('of a call', async () => {
		const call = { specifyBody: 'json', jsonBody: '{ "to": "+15550100" }' };
		const output = await outputOf({ resource: 'call', operation: 'make', ...call });
		assertAsShown('Call: Make', output);
	});

	test('of an item that failed', async () => {
		assertAsShown('Errors', await outputOf(inRecording('download')));
	});
});
