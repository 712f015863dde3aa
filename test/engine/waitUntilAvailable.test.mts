import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { NODE } from '../../harness/nodeRun.mts';
import { API_KEY } from '../../harness/serviceAccess.mts';
import { ownEngine } from './engines.mts';
import { always, inRecording, legalHold, runOn, webPage, type Fault } from './oneRecording.mts';
import { failure } from './outcome.mts';
import { ownService } from './ownService.mts';

suite('Wait Until Available', { concurrency: 6 }, () => {
	for (const [name, fault] of [
		['404', { kind: 'status', status: 404 }],
		['a web page', webPage],
		['400', legalHold],
	] as Array<[string, Fault]>) {
		test(`goes on while the list cannot be read: ${name}`, async (t) => {
			const engine = await ownEngine(t);
			const { control } = engine.emulator;
			const { sessionGuid, plainSha256 } = await control.addRecording();
			always(engine, 'listRecordings', { kind: 'status', status: 403 });
			control.addFault({ match: { endpoint: 'downloadRecording' }, fault });
			const execution = await runOn(engine, 'download', sessionGuid, { waitUntilAvailable: 60 });
			assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256, failure(execution));
		});
	}

	const ends: Array<[string, Fault, RegExp]> = [
		['404', { kind: 'status', status: 404 }, /^maybeGone: .*\(403\)/],
		['a web page', webPage, /^webPage: /],
		['400', legalHold, /^rejected: .*legal hold/],
	];
	for (const [name, fault, expected] of ends) {
		test(`without a list, ends with what the download was answered: ${name}`, async (t) => {
			const engine = await ownEngine(t);
			always(engine, 'listRecordings', { kind: 'status', status: 403 });
			always(engine, 'downloadRecording', fault);
			const guid = crypto.randomUUID();
			const execution = await runOn(engine, 'download', guid, { waitUntilAvailable: 2 });
			assert.match(failure(execution), expected);
		});
	}

	const receivedAt = new Date().toISOString();
	for (const [how, item, options] of [
		['the option is set', {}, { waitUntilAvailable: 30 }],
		['the webhook has just come', { event: 'callEnd', receivedAt }, {}],
	] as const) {
		test(`CallEnd before the recording is ready, and ${how} [fault 30]`, async (t) => {
			const engine = await ownEngine(t);
			const { control } = engine.emulator;
			const { sessionGuid, plainSha256 } = await control.addRecording();
			const fault: Fault = { kind: 'status', status: 404 };
			control.addFault({ match: { endpoint: 'downloadRecording' }, times: 2, fault });
			const items = [{ sessionGuid, ...item }];
			const execution = await runOn(engine, 'download', sessionGuid, options, { items });
			assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256, failure(execution));
		});
	}

	test('what is no answer about the recording is not waited for', async (t) => {
		const engine = await ownEngine(t);
		always(engine, 'downloadRecording', { kind: 'status', status: 403 });
		const guid = crypto.randomUUID();
		const execution = await runOn(engine, 'download', guid, { waitUntilAvailable: 30 });
		assert.match(failure(execution), /^forbidden: /);
		assert.equal(engine.emulator.control.requests().length, 1);
	});

	test('the list is read again after the wait, although another item has read it', async (t) => {
		const engine = await ownEngine(t);
		let lists = 0;
		const { voiceAgentApi } = await ownService(t, engine, ({ path }) => {
			if (!path.endsWith('/recordings')) return { status: 404 };
			lists += 1;
			return { body: lists > 1 ? [{ sessionGuid: 'call-0002' }] : [] };
		});
		const execution = await engine.runNode({
			parameters: inRecording('download', { options: { waitUntilAvailable: '={{ $json.wait }}' } }),
			items: [1, 4].map((wait, index) => ({ sessionGuid: `call-000${index + 1}`, wait })),
			credentials: { voiceAgentApi },
			settings: { onError: 'continueRegularOutput' },
		});
		const reasons = execution.items(NODE).map(({ json }) => json.details as { reason: string });
		assert.deepEqual(
			reasons.map(({ reason }) => reason),
			['recordingGone', 'recordingNotReady'],
		);
	});

	test('a call that was never recorded', async (t) => {
		const engine = await ownEngine(t);
		const guid = crypto.randomUUID();
		const execution = await runOn(engine, 'download', guid, { waitUntilAvailable: 2 });
		assert.match(
			failure(execution),
			/^recordingGone: .*A call that was not recorded has none either.*recordCall/,
		);
	});

	suite('tells apart', () => {
		/** Downloads a recording that is not ready for as long as the test waits. */
		async function waitInVain(
			t: TestContext,
			meanwhile: (url: string) => Promise<unknown> = async () => undefined,
		): Promise<string> {
			const engine = await ownEngine(t);
			const { control, url } = engine.emulator;
			const { sessionGuid } = await control.addRecording();
			control.addFault({
				match: { endpoint: 'downloadRecording' },
				fault: { kind: 'notReady', seconds: 600 },
			});
			const waiting = runOn(engine, 'download', sessionGuid, { waitUntilAvailable: 10 });
			while (control.requests().length === 0) await sleep(20);
			await meanwhile(`${url}/api/customer/recordings/${sessionGuid}`);
			return failure(await waiting);
		}

		test('a recording that is listed but not ready', async (t) => {
			assert.match(await waitInVain(t), /: The recording is not ready yet/);
		});

		test('a recording that was there and is gone [fault 11]', async (t) => {
			const outcome = await waitInVain(t, async (recordingUrl) => {
				await fetch(recordingUrl, { method: 'DELETE', headers: { Token: API_KEY } });
			});
			assert.match(outcome, /: The recording is gone/);
		});
	});
});
