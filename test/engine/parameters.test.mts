import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { byGuid, voiceAgent } from '../../harness/flow.mts';
import { sharedEngine } from './engines.mts';
import { getMany, inRecording, runOn } from './oneRecording.mts';
import { assertFailed, failure } from './outcome.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const engine = await sharedEngine();
/** A node that passes on no session GUID. */
const check = voiceAgent(
	{ resource: 'connection', operation: 'check' },
	{ name: "Check the service's list" },
);

suite('what cannot be used is refused by name, and nothing is sent', () => {
	const getWith = (query: string) => getMany({ options: { query } });
	const make = (value: string) => ({
		resource: 'call',
		operation: 'make',
		specifyBody: 'fields',
		fields: {
			field: [
				{ name: 'from', value: '+15550101' },
				{ name: 'to', value },
			],
		},
	});
	const limit = /^'Limit' must be a whole number of 1 or more$/;
	const cases: Array<[parameters: Record<string, unknown>, message: RegExp]> = [
		[getMany({ returnAll: false, limit: '={{ null }}' }), limit],
		[getWith('={{ $json.nothing }}'), /^'Query Parameters' must be text$/],
		[getWith('a=b&=2'), /^A parameter in 'Query Parameters' has no name$/],
		[
			inRecording('download', { recording: byGuid(GUID), decrypt: '={{ "Always" }}' }),
			/^'Decrypt' must be one of: always, automatic, never$/,
		],
		[make('={{ $json.nothing }}'), /^The field 'to' in 'Fields' has no value$/],
	];
	for (const [parameters, message] of cases) {
		test(JSON.stringify(parameters), async () => {
			engine.emulator.control.clearLogs();
			const execution = await engine.runNode({ parameters });
			assertFailed(execution, message, /^Correct it in the node/);
			assert.deepEqual(engine.emulator.control.requests(), []);
		});
	}
});

test('the error names a resource or an operation that does not exist', async () => {
	const cases = [
		['recording', 'rename', "The operation 'rename' of the resource 'recording' is not known"],
		// n8n hides the parameter then.
		['fax', 'send', "The operation '' of the resource 'fax' is not known"],
	] as const;
	for (const [resource, operation, message] of cases) {
		assertFailed(
			await engine.runNode({ parameters: { resource, operation } }),
			new RegExp(`^${message}$`),
			/^Choose a resource and an operation from the lists\.$/,
		);
	}
});

for (const operation of ['download', 'delete'] as const) {
	for (const guid of ['../../control/log1', '..', 'abcdef1#']) {
		test(`${operation} refuses '${guid}', and sends nothing [fault 34] [security 4]`, async () => {
			engine.emulator.control.clearLogs();
			const execution = await runOn(engine, operation, guid);
			assert.match(failure(execution), /: 'Recording' must be a session GUID/);
			assert.deepEqual(engine.emulator.control.requests(), []);
		});
	}
}

for (const operation of ['download', 'delete'] as const) {
	test(`${operation} without a session GUID shows an expression for this workflow`, async () => {
		const parameters = inRecording(operation, { requireProof: true });
		const execution = await engine.runNode({ before: [check], parameters });
		assertFailed(
			execution,
			/^'Recording' is empty: the previous node did not pass on/,
			/\{\{ \$\('Check the service\\'s list'\)\.item\.json\.sessionGuid \}\}$/,
		);
	});
}

test('delete without a session GUID shows no expression if no other node could have it', async () => {
	const execution = await engine.runNode({ parameters: inRecording('delete') });
	assertFailed(execution, /^'Recording' is empty/, /^(?!.*In this workflow)/);
});
