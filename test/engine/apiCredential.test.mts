import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { createEmulator } from '../../emulator/src/index.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { API_KEY } from '../../harness/serviceAccess.mts';
import { apiCredential, ownEngine, sharedEngine } from './engines.mts';
import { getMany, inRecording, runOn } from './oneRecording.mts';
import { assertFailed, failure } from './outcome.mts';

const engine = await sharedEngine();

suite('the API credential', () => {
	test('the header is Token, letter for letter, with no other authentication', async () => {
		engine.emulator.control.clearLogs();
		await engine.runNode({ parameters: getMany() });
		const [request, ...others] = engine.emulator.control.requests();
		assert.equal(others.length, 0);
		const headers = request?.rawHeaders.filter(([name = '']) =>
			/^(token|authorization|cookie|x-api-key|accept|content-type)$/i.test(name),
		);
		assert.deepEqual(Object.fromEntries(headers ?? []), {
			Token: API_KEY,
			Accept: 'application/json',
		});
	});

	test("each item has the credential that an expression in it makes of the item's data", async () => {
		const { control } = engine.emulator;
		const voiceAgentApi = await apiCredential(engine, { apiKey: '={{ $json.key }}' });
		for (const operation of ['download', 'delete']) {
			const recordings = [await control.addRecording(), await control.addRecording()];
			const [foreign = '', own = ''] = recordings.map(({ sessionGuid }) => sessionGuid);
			const execution = await engine.runNode({
				parameters: inRecording(operation),
				items: [
					{ key: API_KEY, sessionGuid: own },
					{ key: 'another-key', sessionGuid: foreign },
				],
				settings: { onError: 'continueRegularOutput' },
				credentials: { voiceAgentApi },
			});
			const reasons = execution
				.items(NODE)
				.map(({ json }) => (json.details as { reason?: string } | undefined)?.reason);
			assert.deepEqual(reasons, [undefined, 'unauthorized']);
			assert.equal(engine.ledger(foreign).state, 'stored');
		}
	});

	test('nothing is deleted with a key that is exchanged after the download [fault 51]', async (t) => {
		const own = await ownEngine(t);
		const { control } = own.emulator;
		const { sessionGuid, plainSha256 } = await control.addRecording();
		const downloaded = await runOn(own, 'download', sessionGuid);
		assert.equal(downloaded.items(NODE)[0]?.json.sha256, plainSha256);
		control.setApiKeys([
			{ key: 'another-key', permissions: ['listRecordings', 'deleteRecording'] },
		]);
		const refused = await runOn(own, 'delete', sessionGuid);
		assert.match(failure(refused), /^unauthorized: The service does not accept the API key/);
		assert.equal(own.ledger(sessionGuid).state, 'stored');
	});

	for (const [certificate, message] of [
		['valid', /^No secure connection .*: n8n does not know who issued its certificate$/],
		['expired', /^No secure connection .*: its certificate has expired$/],
	] as const) {
		test(`a certificate of an unknown authority (${certificate}) is refused [fault 17]`, async (t) => {
			const emulator = await createEmulator({ https: { certificate } });
			t.after(async () => await emulator.close());
			const voiceAgentApi = await apiCredential(engine, { baseUrl: String(emulator.httpsUrl) });
			const execution = await engine.runNode({
				parameters: getMany(),
				credentials: { voiceAgentApi },
			});
			assertFailed(execution, message, /set NODE_EXTRA_CA_CERTS to the PEM file/);
			assert.equal(emulator.control.requests().length, 0);
		});
	}
});
