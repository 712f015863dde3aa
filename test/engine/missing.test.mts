import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { ownEngine } from './engines.mts';
import { always, legalHold, runOn, webPage, type Fault } from './oneRecording.mts';
import { failure } from './outcome.mts';

const GONE = crypto.randomUUID();

/** What may be concluded from an answer about one recording: that it is gone is the one thing that must never be wrong. */
suite('a recording that is missing, or only seems to be', { concurrency: 4 }, () => {
	const listed = (recording: unknown): Fault => ({
		kind: 'status',
		status: 200,
		body: [recording],
	});
	const uselessLists: Array<[string, (sessionGuid: string) => Fault]> = [
		['cannot be read', () => ({ kind: 'status', status: 403 })],
		['is not ready', () => ({ kind: 'empty', status: 202 })],
		['has no list in it', () => ({ kind: 'status', status: 200, body: { recordings: 'none' } })],
		['has a record without a session GUID', (id) => listed({ call: { reference: { id } } })],
		[
			'is incomplete',
			() => ({
				kind: 'status',
				status: 200,
				body: { data: [{ sessionGuid: GONE }], hasMore: true },
			}),
		],
		['has the GUID without hyphens', (id) => listed({ sessionGuid: id.replaceAll('-', '') })],
		['has the GUID in braces', (id) => listed({ sessionGuid: `{${id.toUpperCase()}}` })],
	];
	for (const [name, list] of uselessLists) {
		test(`no conclusion is drawn from a list that ${name}`, async (t) => {
			const engine = await ownEngine(t);
			const { sessionGuid } = await engine.emulator.control.addRecording();
			always(engine, 'listRecordings', list(sessionGuid));
			always(engine, 'deleteRecording', legalHold);
			always(engine, 'downloadRecording', legalHold);
			for (const operation of ['delete', 'download'] as const) {
				const rejected = /^rejected: .* The service says: legal hold: recording must not be/;
				assert.match(failure(await runOn(engine, operation, sessionGuid)), rejected);
			}
			engine.emulator.control.clearFaults();
			always(engine, 'listRecordings', list(sessionGuid));
			for (const endpoint of ['deleteRecording', 'downloadRecording'] as const) {
				always(engine, endpoint, { kind: 'status', status: 404, body: { message: 'no route' } });
			}
			for (const operation of ['delete', 'download'] as const) {
				assert.match(
					failure(await runOn(engine, operation, sessionGuid)),
					/^(?:maybeGone|stillListed|recordingNotReady): /,
				);
			}
			engine.emulator.control.clearFaults();
			always(engine, 'listRecordings', list(sessionGuid));
			always(engine, 'deleteRecording', webPage);
			always(engine, 'downloadRecording', webPage);
			for (const operation of ['delete', 'download'] as const) {
				assert.match(
					failure(await runOn(engine, operation, sessionGuid)),
					/^webPage: [^/]* Check the 'Base URL' .* The service answered [A-Z]+ https?:.* with status 404\./,
				);
			}
		});
	}

	test('a web page is no proof while the recording is listed, however long it is', async (t) => {
		const engine = await ownEngine(t);
		const { sessionGuid } = await engine.emulator.control.addRecording();
		const body = `<!DOCTYPE html>${' '.repeat(200_000)}`;
		for (const fault of [
			webPage,
			{ ...webPage, status: 410 },
			{ ...legalHold, status: 404, body },
		]) {
			always(engine, 'downloadRecording', fault);
			always(engine, 'deleteRecording', fault);
			assert.match(failure(await runOn(engine, 'download', sessionGuid)), /^webPage: /);
			assert.match(failure(await runOn(engine, 'delete', sessionGuid)), /^webPage: /);
			engine.emulator.control.clearFaults();
		}
	});

	for (const errorBody of ['nested', 'flat', 'problem', 'text', 'html', 'empty'] as const) {
		test(`a recording that is gone, error body ${errorBody} [fault 11]`, async (t) => {
			const engine = await ownEngine(t);
			engine.emulator.control.setShapes({ errorBody });
			const sessionGuid = crypto.randomUUID();
			const download = await runOn(engine, 'download', sessionGuid);
			assert.match(failure(download), /^recordingGone: The recording is gone/);
			const removed = await runOn(engine, 'delete', sessionGuid);
			assert.equal(removed.items(NODE)[0]?.json.alreadyGone, true, failure(removed));
		});
	}
});
