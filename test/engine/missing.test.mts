import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { ownEngine, ownRecording } from './engines.mts';
import {
	always,
	alwaysOfRecording,
	inRecording,
	legalHold,
	reply,
	runOn,
	webPage,
	type Fault,
} from './oneRecording.mts';
import { failure } from './outcome.mts';
import { ownService } from './ownService.mts';

const GONE = crypto.randomUUID();

/**
 * What may be concluded from an answer about one recording. That it is gone is the one conclusion
 * that must never be wrong.
 */
suite('a recording that is missing, or only seems to be', { concurrency: 4 }, () => {
	const uselessLists: Array<[string, (sessionGuid: string) => Fault, why?: RegExp]> = [
		['cannot be read', () => ({ kind: 'status', status: 403 })],
		['is not ready', () => ({ kind: 'empty', status: 202 })],
		['has no list in it', () => reply({ recordings: 'none' })],
		[
			'has a record without a session GUID',
			(id) => reply([{ call: { reference: { id } } }]),
			/^maybeGone: .*no session GUID is found/,
		],
		['is incomplete', () => reply({ data: [{ sessionGuid: GONE }], hasMore: true })],
		['has the GUID without hyphens', (id) => reply([{ sessionGuid: id.replaceAll('-', '') }])],
		['has the GUID in braces', (id) => reply([{ sessionGuid: `{${id.toUpperCase()}}` }])],
	];
	const unclear = /^(?:maybeGone|stillListed|recordingNotReady): /;
	const rejected = /^rejected: .* The service says: legal hold: recording must not be/;
	const answered = 'The service answered [A-Z]+ https?:.* with status 404';
	const notTheService = new RegExp(`^webPage: [^/]* Check the 'Base URL' .* ${answered}\\.`);
	for (const [name, list, why = unclear] of uselessLists) {
		test(`no conclusion is drawn from a list that ${name}`, async (t) => {
			const { engine, control, sessionGuid } = await ownRecording(t);
			for (const [fault, outcome] of [
				[legalHold, rejected],
				[reply({ message: 'no route' }, 404), why],
				[webPage, notTheService],
			] as const) {
				always(engine, 'listRecordings', list(sessionGuid));
				alwaysOfRecording(engine, fault);
				for (const operation of ['delete', 'download'] as const) {
					assert.match(failure(await runOn(engine, operation, sessionGuid)), outcome);
				}
				control.clearFaults();
			}
		});
	}

	test('a web page is no proof while the recording is listed, however long it is', async (t) => {
		const { engine, control, sessionGuid } = await ownRecording(t);
		const long = reply(`<!DOCTYPE html>${' '.repeat(200_000)}`, 404);
		for (const fault of [webPage, { ...webPage, status: 410 }, long]) {
			alwaysOfRecording(engine, fault);
			assert.match(failure(await runOn(engine, 'download', sessionGuid)), /^webPage: /);
			assert.match(failure(await runOn(engine, 'delete', sessionGuid)), /^webPage: /);
			control.clearFaults();
		}
	});

	for (const operation of ['delete', 'download']) {
		test(`${operation}: items share a list until one of them may have changed it`, async (t) => {
			const engine = await ownEngine(t);
			/** What the service has deleted when it answers with this. */
			const late: Record<string, object> = {
				'late-0001': { status: 400 },
				'late-0002': { body: { accepted: true } },
			};
			const kept = new Set(Object.keys(late));
			const { run, requests } = await ownService(t, engine, ({ path }) => {
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
			const execution = await run({
				parameters: inRecording(operation),
				items: guids.map((sessionGuid) => ({ sessionGuid })),
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
		test(`a recording is gone if the service says so, error body ${errorBody} [fault 11]`, async (t) => {
			const engine = await ownEngine(t);
			engine.emulator.control.setShapes({ errorBody });
			const sessionGuid = crypto.randomUUID();
			const download = await runOn(engine, 'download', sessionGuid);
			assert.match(failure(download), /^recordingGone: The recording is gone/);
			const removed = await runOn(engine, 'delete', sessionGuid);
			assert.equal(removed.items(NODE)[0]?.json.deleted, true, failure(removed));
		});
	}
});
