import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { ownEngine } from './engines.mts';
import { always, inRecording, legalHold, runOn, webPage, type Fault } from './oneRecording.mts';
import { failure } from './outcome.mts';
import { ownService } from './ownService.mts';

const GONE = crypto.randomUUID();

/** What may be concluded from an answer about one recording: that it is gone is the one thing that must never be wrong. */
suite('a recording that is missing, or only seems to be', { concurrency: 4 }, () => {
	const listed = (recording: unknown): Fault => ({
		kind: 'status',
		status: 200,
		body: [recording],
	});
	const uselessLists: Array<[string, (sessionGuid: string) => Fault, why?: RegExp]> = [
		['cannot be read', () => ({ kind: 'status', status: 403 })],
		['is not ready', () => ({ kind: 'empty', status: 202 })],
		['has no list in it', () => ({ kind: 'status', status: 200, body: { recordings: 'none' } })],
		[
			'has a record without a session GUID',
			(id) => listed({ call: { reference: { id } } }),
			/^maybeGone: .*no session GUID is found/,
		],
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
	const unclear = /^(?:maybeGone|stillListed|recordingNotReady): /;
	for (const [name, list, why = unclear] of uselessLists) {
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
				assert.match(failure(await runOn(engine, operation, sessionGuid)), why);
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

	for (const operation of ['delete', 'download']) {
		test(`${operation}: many items share a list, until one of them may have changed it`, async (t) => {
			const engine = await ownEngine(t);
			/** What the service has deleted when it answers with this. */
			const late: Record<string, object> = {
				'late-0001': { status: 400 },
				'late-0002': { body: { accepted: true } },
			};
			const kept = new Set(Object.keys(late));
			const { voiceAgentApi, requests } = await ownService(t, engine, ({ path }) => {
				if (path.endsWith('/recordings')) {
					return { body: [...kept].map((sessionGuid) => ({ sessionGuid })) };
				}
				const guid = path.slice(-9);
				kept.delete(guid);
				return late[guid] ?? { status: 404 };
			});
			const gone = Array.from(
				{ length: 40 },
				(_, index) => `gone-${String(index).padStart(4, '0')}`,
			);
			const guids = operation === 'delete' ? [...gone, ...kept] : gone;
			const execution = await engine.runNode({
				parameters: inRecording(operation),
				items: guids.map((sessionGuid) => ({ sessionGuid })),
				credentials: { voiceAgentApi },
				settings: { onError: 'continueRegularOutput' },
			});
			for (const { json } of execution.items(NODE)) {
				const { reason } = (json.details ?? {}) as { reason?: string };
				assert.ok(json.deleted ?? reason === 'recordingGone', JSON.stringify(json));
			}
			const lists = requests.filter(({ path }) => path.endsWith('/recordings')).length;
			assert.ok(lists <= 5, `${lists} lists`);
		});
	}

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
