import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { controls } from '../src/control/control.mts';
import type { ControlRow } from '../src/control/row.mts';
import { type Emulator, ServiceError } from '../src/index.mts';
import { receiver, send, start, tableRows } from './helpers.mts';

/** One use of a control: the arguments in the process, and the same as a request. */
interface Use {
	args?: unknown[];
	body?: unknown;
	/** For a parameter of the path, if it is not the session GUID below. */
	param?: string;
}

const GUID = 'guid-0001';
const withBody = (body: unknown): Use => ({ args: [body], body });
const ofGuid = (body?: unknown): Use => ({
	args: body === undefined ? [GUID] : [GUID, body],
	body,
});

/** For each control a use that works and uses that are refused. */
const uses: Record<keyof typeof controls, [Use, ...Use[]]> = {
	webhooks: [{}],
	setWebhooks: [
		withBody({ callStart: null }),
		withBody({ callEnd: 'ftp://x' }),
		withBody({ callEnd: 'http://' }),
		withBody({ callStart: 'http://x:99999' }),
		withBody({ onEnd: 'http://x' }),
		withBody('http://x'),
		withBody(undefined),
	],
	webhookDelivery: [{}],
	setWebhookDelivery: [
		withBody({ retries: 1 }),
		withBody({ copies: 0 }),
		withBody({ retry: 1 }),
		withBody({ preset: 'fax' }),
		withBody({ preset: 'svix', retries: 2 }),
	],
	sendCallEnd: [
		{ args: [GUID, { any: 'body' }], body: { body: { any: 'body' } } },
		{ args: [GUID, 'text'], body: { body: 'text' } },
		{ args: ['nobody'], body: {}, param: 'nobody' },
	],
	deliveries: [{}],
	shapes: [{}],
	setShapes: [withBody({ list: 'paged' }), withBody({ list: 'tree' }), withBody({ pageSize: 0 })],
	resetShapes: [{}],
	profile: [{}],
	apiKeys: [{}],
	setApiKeys: [
		{ args: [[{ key: 'k', permissions: [] }]], body: { apiKeys: [{ key: 'k', permissions: [] }] } },
		{ args: ['k'], body: { apiKeys: 'k' } },
		{
			args: [[{ key: 'a b', permissions: ['fly'] }]],
			body: { apiKeys: [{ key: 'a b', permissions: ['fly'] }] },
		},
	],
	caPem: [{}],
	faults: [{}],
	addFault: [
		withBody({ fault: { kind: 'hangUp' } }),
		withBody({ fault: { kind: 'x' } }),
		withBody({ fault: { kind: 'drop' } }),
		withBody({ fault: { kind: 'drop', afterBytes: -1, after: 2 }, often: 1 }),
		withBody({ times: 1 }),
		withBody(null),
	],
	clearFaults: [{}],
	removeFault: [
		{ args: [1], param: '1' },
		{ args: [7], param: '7' },
		{ args: [1.5], param: '1.5' },
	],
	setDefaultInstructions: [
		{
			args: [{ recordCall: 'wrong on purpose' }],
			body: { instructions: { recordCall: 'wrong on purpose' } },
		},
		{ args: ['text'], body: { instructions: 'text' } },
	],
	recordingDelay: [{}],
	setRecordingDelay: [
		{ args: [5], body: { recordingDelayMs: 5 } },
		{ args: [-1], body: { recordingDelayMs: -1 } },
		{ args: ['5'], body: { recordingDelayMs: '5' } },
	],
	outcomes: [{}],
	setOutcomes: [
		{
			args: [[{ to: '+1*', outcome: 'busy' }]],
			body: { outcomes: [{ to: '+1*', outcome: 'busy' }] },
		},
		{
			args: [[{ to: '+1', outcome: 'rich' }]],
			body: { outcomes: [{ to: '+1', outcome: 'rich' }] },
		},
		{ args: [[{ outcome: 'busy' }]], body: { outcomes: [{ outcome: 'busy' }] } },
	],
	calls: [{}],
	placeCall: [
		withBody({ to: '+1' }),
		withBody({}),
		withBody({ to: '' }),
		withBody({ to: '+1', outcome: 'rich' }),
		withBody({ to: '+1', speed: 1, metadata: { nested: {} } }),
	],
	call: [{ param: 'call' }, { args: ['nobody'], param: 'nobody' }],
	endCall: [{ param: 'call' }, { args: ['nobody'], param: 'nobody' }],
	completedCall: [{ param: 'call' }, { args: ['nobody'], param: 'nobody' }],
	recordings: [{}],
	addRecording: [
		withBody({ sessionGuid: 'other', durationSeconds: 0.1 }),
		withBody({ size: 1 }),
		withBody({ format: 'flac' }),
		withBody({ sessionGuid: 'a/b' }),
		withBody({ sizeBytes: 9, durationSeconds: 9 }),
		withBody({ endedAt: 'yesterday' }),
		withBody({ sessionGuid: GUID }),
	],
	tamper: [
		ofGuid({ flipBitAt: 0 }),
		ofGuid({}),
		ofGuid({ flipBitAt: 0.5 }),
		ofGuid({ truncateTo: 99 }),
	],
	requests: [{}],
	log: [{}],
	logs: [{}],
	clearLogs: [{}],
	now: [{}],
	advanceClock: [
		{ args: [1000], body: { ms: 1000 } },
		{ args: ['soon'], body: { ms: 'soon' } },
		{ args: [1e13], body: { ms: 1e13 } },
		{ args: [NaN], body: { ms: 'NaN' } },
		{ args: [Infinity], body: { ms: null } },
	],
	reset: [{}],
};

const rows = Object.entries<ControlRow>(controls);

/** An emulator in which the use that works can work. @returns it and the GUID of a running call */
async function prepared(
	t: Parameters<typeof start>[0],
	https = false,
): Promise<[Emulator, string]> {
	const hooks = await receiver(t, () => ({}));
	const emulator = await start(t, {
		callSpeed: 1,
		ringSeconds: 600,
		https,
		webhooks: { callEnd: hooks.url },
		faults: [{ match: { path: '/nowhere' }, fault: { kind: 'hangUp' } }],
	});
	await emulator.control.addRecording({ sessionGuid: GUID, content: Buffer.of(1, 2, 3) });
	return [emulator, emulator.control.placeCall({ to: '+1' }).sessionGuid];
}

async function overHttp({ url }: Emulator, row: ControlRow, { body, param }: Use, call: string) {
	const value = param === 'call' ? call : (param ?? GUID);
	const path = `/control${row.path.replace(/:\w+/, encodeURIComponent(value))}`;
	return send(url, row.method, path, {
		headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
}

/** Calls the method; a control that is not async throws instead of rejecting. */
async function inProcess({ control }: Emulator, name: string, { args, param }: Use, call: string) {
	const method = Reflect.get(control, name) as (...args: unknown[]) => unknown;
	return method(...(args ?? (param === 'call' ? [call] : [])));
}

test('every control works in the process and over HTTP', async (t) => {
	const [emulator, call] = await prepared(t, true);
	const [other, otherCall] = await prepared(t, true);
	// In the order of the table: a call is ended before something waits for its end.
	for (const [name, row] of rows) {
		const [use] = uses[name as keyof typeof controls];
		await inProcess(emulator, name, use, call);
		const reply = await overHttp(other, row, use, otherCall);
		assert.equal(reply.status, 200, `${name}: ${reply.body.toString()}`);
	}
});

test('a control refuses the same input with the same error in the process and over HTTP', async (t) => {
	const [emulator, call] = await prepared(t);
	for (const [name, row] of rows) {
		const [, ...refused] = uses[name as keyof typeof controls];
		if (row.body) assert.ok(refused.length > 0, `${name} has input that can be wrong`);
		for (const use of refused) {
			const where = `${name} ${JSON.stringify(use)}`;
			const reply = await overHttp(emulator, row, use, call);
			assert.ok(reply.status >= 400 && reply.status < 500, `${where}: ${reply.status}`);
			await assert.rejects(inProcess(emulator, name, use, call), (error) => {
				assert.ok(error instanceof ServiceError, `${where}: ${String(error)}`);
				const { status, code, message, fields } = error;
				const detail = { code, message, ...(fields?.length && { fields }) };
				assert.deepEqual([reply.status, reply.json()], [status, { error: detail }], where);
				return true;
			});
		}
	}
});

test('async controls reject, the others throw', async (t) => {
	const [{ control }] = await prepared(t);
	await assert.rejects(control.tamper(GUID, {}), /body/);
	assert.throws(() => control.setWebhooks({ callEnd: 'ftp://x' }), /callEnd/);
});

test('the README lists every control with its route', async () => {
	const page = await readFile(new URL('../README.md', import.meta.url), 'utf8');
	const listed = tableRows(page, '## Control')
		.map(([method = '', http, does]) => [/^`(\w+)\(/.exec(method)?.[1], http, does])
		.filter(([, http]) => http !== '');
	const expected = rows.map(([name, { method, path, summary }]) => [
		name,
		`\`${method} ${path.replace(/:(\w+)/, '{$1}')}\``,
		summary,
	]);
	assert.deepEqual(listed, expected);
});
