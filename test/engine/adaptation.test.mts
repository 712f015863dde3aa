/**
 * A service whose answers nobody could guess. Fields of the credential explain them to every
 * operation.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test, type TestContext } from 'node:test';

import type { Engine } from '../../harness/engine/engine.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { apiCredential, ownEngine } from './engines.mts';
import { always, alwaysOfRecording, legalHold, reply } from './oneRecording.mts';
import { failure } from './outcome.mts';

const HOUR = 3_600_000;
const KEPT = 'call-20261121-a';
const OTHER = 'call-20261121-b';

/** An engine whose credential has these fields too. */
async function adapted(t: TestContext, fields: Record<string, string>) {
	const engine = await ownEngine(t);
	const voiceAgentApi = await apiCredential(engine, { adapt: true, ...fields });
	const run = async (resource: string, operation: string, more: Record<string, unknown> = {}) =>
		await engine.runNode({
			parameters: { resource, operation, ...more },
			credentials: { voiceAgentApi },
			settings: { onError: 'continueRegularOutput' },
		});
	return { engine, run };
}

/**
 * Lets the service answer with two lists that look alike. The second one has the recordings, in
 * fields with names of its own.
 *
 * @returns when the call of the kept recording ended
 */
function strangeList(engine: Engine): string {
	const closed = new Date(engine.emulator.control.now() - HOUR).toISOString();
	const result = {
		yesterday: [{ ref: { key: OTHER }, sessionGuid: 'not-the-one-1', endedAt: '2026-01-01T00:00' }],
		today: [{ ref: { key: KEPT }, sessionGuid: 'not-the-one-2', closed, endedAt: null }],
	};
	always(engine, 'listRecordings', reply({ result }));
	return closed;
}

const FIELDS = {
	listField: ' result.today ',
	sessionGuidField: 'ref.key',
	callEndField: 'closed',
};

suite('fields of the VoiceAgent API credential', { concurrency: 4 }, () => {
	test('Get Many reads the list by them', async (t) => {
		const { engine, run } = await adapted(t, FIELDS);
		const closed = strangeList(engine);
		const items = (await run('recording', 'getMany')).items(NODE);
		assert.deepEqual(
			items.map(({ json }) => [json.sessionGuid, json.endedAt]),
			[[KEPT, closed]],
		);
	});

	test('Get Many says which field to name, and keeps the password of a recording to itself', async (t) => {
		const { engine, run } = await adapted(t, {});
		const leg = randomUUID();
		const parent = randomUUID();
		const settings = {
			record_call_password: 'secret',
			sent: '{"recordCallPassword":"secret"}',
			named: { name: 'recordCallPassword', value: 'secret', position: 3 },
			known: ['recordCallPassword'],
		};
		const body = [{ leg, parent, settings }, { note: 'none' }, { sessionGuid: KEPT, leg }];
		always(engine, 'listRecordings', reply(body));
		const items = (await run('recording', 'getMany', { simple: false })).items(NODE);
		const [item, ...others] = items;
		assert.equal(item?.json.sessionGuid, null);
		assert.deepEqual(
			others.map(({ json }) => json.problem),
			[undefined, undefined],
		);
		assert.match(String(item?.json.problem), /enter leg or parent as 'Session GUID Field'/);
		assert.doesNotMatch(JSON.stringify(item), /secret/);
		assert.match(JSON.stringify(item), /"position":3/);
	});

	for (const operation of ['delete', 'download'] as const) {
		test(`${operation} asks the list by them whether a recording is gone`, async (t) => {
			const { engine, run } = await adapted(t, FIELDS);
			strangeList(engine);
			alwaysOfRecording(engine, legalHold);
			const about = (sessionGuid: string) =>
				run('recording', operation, { recording: byGuid(sessionGuid), requireProof: false });
			assert.match(failure(await about(KEPT)), /^rejected: /);
			const gone = await about(OTHER);
			if (operation === 'download') assert.match(failure(gone), /^recordingGone: /);
			else assert.equal(gone.items(NODE)[0]?.json.deleted, true, failure(gone));
		});
	}
});

suite('More Query Parameters', { concurrency: 4 }, () => {
	const details = {
		specifyBody: 'fields',
		fields: { field: [{ name: 'to', value: '+15550100' }] },
	};
	for (const [resource, operation, parameters] of [
		['recording', 'getMany', {}],
		['recording', 'download', { recording: byGuid(KEPT) }],
		['recording', 'delete', { recording: byGuid(KEPT), requireProof: false }],
		['call', 'make', details],
		['sms', 'send', details],
	] as const) {
		test(`${resource}: ${operation} sends them`, async (t) => {
			const { engine, run } = await adapted(t, { queryParameters: '?tenant=a%20b&view=full' });
			await run(resource, operation, parameters);
			const paths = engine.emulator.control.requests().map(({ path }) => path);
			assert.ok(paths.length > 0);
			for (const path of paths) {
				const { searchParams } = new URL(path, 'http://x');
				assert.deepEqual(
					[...searchParams],
					[
						['tenant', 'a b'],
						['view', 'full'],
					],
				);
			}
		});
	}

	test('they stay on every page, and those of Get Many take precedence', async (t) => {
		const { engine, run } = await adapted(t, { queryParameters: 'limit=1&tenant=42' });
		const { control } = engine.emulator;
		control.setShapes({ list: 'paged', paging: 'cursor', pageSize: 2 });
		for (let index = 0; index < 3; index++) await control.addRecording();
		const queries = () =>
			control.requests().map(({ path }) => new URL(path, 'http://x').searchParams);
		const all = await run('recording', 'getMany', { returnAll: true });
		assert.equal(all.items(NODE).length, 3);
		assert.deepEqual(
			queries().map((query) => [query.get('limit'), query.get('tenant')]),
			[
				['1', '42'],
				['1', '42'],
				['1', '42'],
			],
		);
		control.clearLogs();
		await run('recording', 'getMany', { limit: 1, options: { query: 'tenant=43' } });
		assert.deepEqual(
			queries().map((one) => one.getAll('tenant')),
			[['43']],
		);
	});

	test('they do not go to a storage address', async (t) => {
		const { engine, run } = await adapted(t, { queryParameters: 'tenant=42' });
		const { control } = engine.emulator;
		control.setShapes({ download: 'chain' });
		const { sessionGuid } = await control.addRecording();
		const execution = await run('recording', 'download', { recording: byGuid(sessionGuid) });
		assert.equal(execution.items(NODE)[0]?.json.format, 'opus');
		const withTenant = control.requests().map(({ path }) => path.includes('tenant=42'));
		assert.deepEqual(withTenant, [true, false, false, false]);
	});
});
