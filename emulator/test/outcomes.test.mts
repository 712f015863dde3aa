import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEmulator } from '../src/index.mts';
import { call, type Hook, list, receiver, send, start } from './helpers.mts';

/** What CallEnd says about a call. */
const ended = ({ body }: Hook) => [
	body['to'],
	body['outcome'],
	body['durationSeconds'],
	body['recorded'],
];

test('only calls with somebody, or a mailbox, to talk to are recorded', async (t) => {
	const hooks = await receiver(t, () => ({ Service_Instructions: { recordCall: true } }));
	const emulator = await start(t, {
		webhooks: { callStart: `${hooks.url}/start`, callEnd: `${hooks.url}/end` },
		outcomes: [
			{ to: '+15550101', outcome: 'busy' },
			{ to: '+1555010*', outcome: 'noAnswer' },
			{ to: '+1555*', outcome: 'voicemail' },
		],
	});
	const numbers = ['+15550101', '+15550102', '+15550111', '+441632960960'];
	for (const to of numbers) await call(emulator, { to, durationSeconds: 3 });

	const [starts, ends] = ['/start', '/end'].map((path) =>
		hooks.hooks.filter((hook) => hook.path === path),
	);
	assert.deepEqual(
		starts?.map(({ body }) => body['to']),
		numbers,
		'each call begins with CallStart',
	);
	assert.deepEqual(ends?.map(ended), [
		['+15550101', 'busy', 0, false],
		['+15550102', 'noAnswer', 0, false],
		['+15550111', 'voicemail', 3, true],
		['+441632960960', 'answered', 3, true],
	]);
	assert.deepEqual(
		(await list(emulator)).map(({ to }) => to),
		['+15550111', '+441632960960'],
	);
	const answered = emulator.control.calls().map(({ answeredAt }) => answeredAt !== null);
	assert.deepEqual(answered, [false, false, true, true]);
});

test('an outcome of one call wins over the rules, and rules can change', async (t) => {
	const emulator = await start(t, { outcomes: [{ to: '*', outcome: 'busy' }] });
	const outcomes = async (...bodies: Record<string, unknown>[]) => {
		const calls = [];
		for (const body of bodies) calls.push(await call(emulator, { to: '+15550100', ...body }));
		return calls.map(({ outcome }) => outcome);
	};
	assert.deepEqual(await outcomes({}, { outcome: 'voicemail' }), ['busy', 'voicemail']);
	const rules = { outcomes: [{ to: '+1(555)*', outcome: 'noAnswer' }] };
	const put = await send(emulator.url, 'PUT', '/control/outcomes', { headers: {}, body: rules });
	assert.deepEqual(put.json(), rules);
	assert.deepEqual(emulator.control.outcomes(), rules.outcomes);
	assert.deepEqual(
		await outcomes(
			{ to: '+1(555)0100' },
			{ to: '+15550100' },
			{ to: '+1(555)0100', outcome: 'busy' },
		),
		['noAnswer', 'answered', 'busy'],
	);
});

test('a busy number does not ring, and a call that nobody answers rings for 30 seconds', async (t) => {
	const emulator = await start(t, {
		callSpeed: 100,
		ringSeconds: 20,
		outcomes: [
			{ to: '+15550101', outcome: 'busy' },
			{ to: '+15550102', outcome: 'noAnswer' },
		],
	});
	const seconds = async (to: string) => {
		const begin = performance.now();
		await call(emulator, { to });
		return (performance.now() - begin) / 10;
	};
	const [busy, noAnswer] = [await seconds('+15550101'), await seconds('+15550102')];
	assert.ok(busy < 20, `${busy} s`);
	assert.ok(noAnswer >= 29.5 && noAnswer < 200, `${noAnswer} s`);
});

test('unknown outcomes are refused by name, also at the start', async (t) => {
	const { url } = await start(t);
	const reply = await send(url, 'POST', '/api/customer/makecall', {
		body: { to: '+1', outcome: 'rich' },
	});
	assert.equal(reply.status, 400);
	assert.match(reply.json().error?.message ?? '', /outcome .*answered, voicemail, busy, noAnswer/);
	const outcomes = [{ to: '+1', outcome: 'rich' }] as never;
	await assert.rejects(createEmulator({ outcomes }), /^StartError: outcomes: outcomes\.0\.outcome/);
});
