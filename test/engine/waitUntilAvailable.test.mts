import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Engine } from '../../harness/engine/engine.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { API_KEY } from '../../harness/serviceAccess.mts';
import { ownEngine, ownRecording } from './engines.mts';
import { always, inRecording, legalHold, runOn, webPage, type Fault } from './oneRecording.mts';
import { failure } from './outcome.mts';
import { ownService } from './ownService.mts';

/** What becomes of a download that waits for a recording which the service never had. */
async function waitFor(engine: Engine, seconds: number): Promise<string> {
	const guid = crypto.randomUUID();
	return failure(await runOn(engine, 'download', guid, { waitUntilAvailable: seconds }));
}

const notThere: Fault = { kind: 'status', status: 404 };

/** The item of a CallEnd webhook about a call that has ended just now. */
function ended(
	sessionGuid: string,
	payload: Record<string, boolean> = { recorded: true },
	agoMs = 0,
) {
	const time = new Date(Date.now() - agoMs).toISOString();
	return {
		event: 'callEnd',
		sessionGuid,
		receivedAt: time,
		payload: { endedAt: time, ...payload },
	};
}

suite('Wait Until Available', { concurrency: 6 }, () => {
	for (const [name, fault, expected] of [
		['404', { kind: 'status', status: 404 }, /^maybeGone: .*\(403\)/],
		['a web page', webPage, /^webPage: /],
		['400', legalHold, /^rejected: .*legal hold/],
	] as Array<[string, Fault, RegExp]>) {
		test(`goes on while the list cannot be read, after ${name}`, async (t) => {
			const { engine, control, sessionGuid, plainSha256 } = await ownRecording(t);
			always(engine, 'listRecordings', { kind: 'status', status: 403 });
			control.addFault({ match: { endpoint: 'downloadRecording' }, fault });
			const execution = await runOn(engine, 'download', sessionGuid, { waitUntilAvailable: 60 });
			assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256, failure(execution));
		});

		test(`ends without a list with the answer to the download, ${name}`, async (t) => {
			const engine = await ownEngine(t);
			always(engine, 'listRecordings', { kind: 'status', status: 403 });
			always(engine, 'downloadRecording', fault);
			assert.match(await waitFor(engine, 2), expected);
		});
	}

	for (const [how, itemNow, options] of [
		['the option is set', () => ({}), { waitUntilAvailable: 30 }],
		[
			'the webhook has just come',
			() => ({ event: 'callEnd', receivedAt: new Date().toISOString() }),
			{},
		],
	] as const) {
		test(`waits for a recording that is not ready at CallEnd if ${how} [fault 30]`, async (t) => {
			const { engine, control, sessionGuid, plainSha256 } = await ownRecording(t);
			control.addFault({ match: { endpoint: 'downloadRecording' }, times: 2, fault: notThere });
			const items = [{ sessionGuid, ...itemNow() }];
			const execution = await runOn(engine, 'download', sessionGuid, options, { items });
			assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256, failure(execution));
		});
	}

	test('waits a minute for the recording of a webhook, without any setting', async (t) => {
		const engine = await ownEngine(t);
		const { control } = engine.emulator;
		control.setDefaultInstructions({ recordCall: true });
		control.setRecordingDelay(25_000);
		const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 1 });
		await control.completedCall(sessionGuid);
		const items = [ended(sessionGuid)];
		const execution = await runOn(engine, 'download', sessionGuid, {}, { items });
		const { plainSha256 } = engine.ledger(sessionGuid);
		assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256, failure(execution));
		const downloads = control.requests().filter(({ path }) => path.endsWith(sessionGuid));
		assert.ok(downloads.length <= 9, `${downloads.length} requests in 25 seconds`);
	});

	test('waits for no recording of a call that the payload calls not recorded', async (t) => {
		const { engine, control, sessionGuid, plainSha256 } = await ownRecording(t);
		const unrecorded = ended(crypto.randomUUID(), { recorded: false });
		const none = await runOn(
			engine,
			'download',
			unrecorded.sessionGuid,
			{},
			{ items: [unrecorded] },
		);
		assert.deepEqual(none.items(NODE), []);
		assert.match(
			none.hints(NODE).join(),
			/'recorded' in the payload says that the call was not recorded/,
		);
		assert.equal(control.requests().length, 2);
		// The list proves the contrary.
		control.addFault({ match: { endpoint: 'downloadRecording' }, times: 3, fault: notThere });
		const items = [ended(sessionGuid, { recorded: false })];
		const listed = await runOn(engine, 'download', sessionGuid, {}, { items });
		assert.equal(listed.items(NODE)[0]?.json.sha256, plainSha256, failure(listed));
	});

	test('does not wait after an answer that is not about the recording', async (t) => {
		const engine = await ownEngine(t);
		always(engine, 'downloadRecording', { kind: 'status', status: 403 });
		assert.match(await waitFor(engine, 30), /^forbidden: /);
		assert.equal(engine.emulator.control.requests().length, 1);
	});

	test('reads the list again after the wait, although another item has read it', async (t) => {
		const engine = await ownEngine(t);
		let lists = 0;
		const { run } = await ownService(t, engine, ({ path }) => {
			if (!path.endsWith('/recordings')) return { status: 404 };
			lists += 1;
			return { body: lists > 1 ? [{ sessionGuid: 'call-0002' }] : [] };
		});
		const execution = await run({
			parameters: inRecording('download', { options: { waitUntilAvailable: '={{ $json.wait }}' } }),
			items: [1, 4].map((wait, index) => ({ sessionGuid: `call-000${index + 1}`, wait })),
			settings: { onError: 'continueRegularOutput' },
		});
		const reasons = execution.items(NODE).map(({ json }) => json.details as { reason: string });
		assert.deepEqual(
			reasons.map(({ reason }) => reason),
			['recordingGone', 'recordingNotReady'],
		);
	});

	test('says that a call that was not recorded has no recording', async (t) => {
		assert.match(
			await waitFor(await ownEngine(t), 2),
			/^recordingGone: .*A call that was not recorded has none either.*recordCall/,
		);
	});

	for (const [name, isRemoved, expected] of [
		['is listed but not ready', false, /: The recording is not ready yet/],
		['was there and is gone [fault 11]', true, /: The recording is gone/],
	] as const) {
		test(`says of a recording that it ${name}`, async (t) => {
			const { engine, control, sessionGuid } = await ownRecording(t);
			const fault: Fault = { kind: 'notReady', seconds: 600 };
			control.addFault({ match: { endpoint: 'downloadRecording' }, fault });
			const waiting = runOn(engine, 'download', sessionGuid, { waitUntilAvailable: 10 });
			while (control.requests().length === 0) await sleep(20);
			const url = `${engine.emulator.url}/api/customer/recordings/${sessionGuid}`;
			if (isRemoved) await fetch(url, { method: 'DELETE', headers: { Token: API_KEY } });
			assert.match(failure(await waiting), expected);
		});
	}
});
