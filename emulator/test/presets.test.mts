import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test, type TestContext } from 'node:test';
import { type EmulatorOptions, presetNames } from '../src/index.mts';
import { receiver, start, tableRows } from './helpers.mts';

const content = Buffer.of(1);
const SECOND = 1000;
const HOUR = 3_600_000;

/** A receiver that fails as long as it should, and an emulator that sends CallEnd to it. */
async function failing(t: TestContext, options: EmulatorOptions) {
	const state = { fails: true };
	const hooks = await receiver(t, (_hook, response) => {
		if (state.fails) response.statusCode = 503;
		return {};
	});
	const emulator = await start(t, { webhooks: { callEnd: hooks.url }, ...options });
	await emulator.control.addRecording({ sessionGuid: 'g', content });
	return { ...emulator, ...hooks, state };
}

async function until(holds: () => boolean): Promise<void> {
	const deadline = Date.now() + 10_000;
	while (!holds()) {
		assert.ok(Date.now() < deadline, 'it has not happened within 10 seconds');
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** As the pages of the senders say; FAULTS.md has their addresses. */
const attempts = { once: 1, elevenLabs: 1, ultravox: 11, svix: 8, standardWebhooks: 10, nmi: 21 };

for (const [preset, number] of Object.entries(attempts)) {
	test(`${preset} makes ${number} attempts, and stops at the first success`, async (t) => {
		const { control, hooks, state } = await failing(t, {
			webhookDelivery: { preset: preset as keyof typeof attempts },
		});
		const last = await control.sendCallEnd('g');
		assert.deepEqual([last.attempt, last.status], [number, 503]);
		assert.equal(hooks.length, number);
		state.fails = false;
		assert.equal((await control.sendCallEnd('g')).attempt, 1);
	});
}

test('svix: each pause, in the time of the emulator', async (t) => {
	const { control, hooks } = await failing(t, {
		callSpeed: 1,
		webhookDelivery: { preset: 'svix' },
	});
	const sent = control.sendCallEnd('g');
	const pauses = [5 * SECOND, 300 * SECOND, 0.5 * HOUR, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
	for (const [index, pause] of pauses.entries()) {
		await until(() => control.deliveries().length === index + 1);
		// Almost: what passes in reality counts too.
		await control.advanceClock(pause - 4 * SECOND);
		await new Promise((resolve) => setTimeout(resolve, 50));
		assert.equal(hooks.length, index + 1, `the pause before retry ${index + 1}`);
		await control.advanceClock(4 * SECOND);
	}
	assert.equal((await sent).attempt, 8);
	const times = control.deliveries().map(({ startedAt }) => Date.parse(startedAt));
	const took = (times.at(-1) ?? 0) - (times[0] ?? 0);
	// 27 hours, 35 minutes and 5 seconds, and what the test itself takes.
	const expected = 27 * HOUR + 2105 * SECOND;
	assert.ok(took >= expected && took < expected + 60 * SECOND, `${took} ms`);
});

test('the pauses of a preset run at the speed of calls', async (t) => {
	const { control } = await failing(t, {
		callSpeed: 1_000_000,
		webhookDelivery: { preset: 'svix' },
	});
	const begin = performance.now();
	assert.equal((await control.sendCallEnd('g')).attempt, 8);
	const took = performance.now() - begin;
	// 27.6 hours.
	assert.ok(took >= 95 && took < 5000, `${took} ms`);
});

test('a retry goes to the target of that time, and nowhere without one', async (t) => {
	const { control, hooks, url } = await failing(t, {
		callSpeed: 1,
		webhookDelivery: { preset: 'svix' },
	});
	const other = await receiver(t, () => ({}));
	const first = control.sendCallEnd('g');
	await until(() => control.deliveries().length === 1);
	control.setWebhooks({ callEnd: other.url });
	await control.advanceClock(5 * SECOND);
	assert.equal((await first).status, 200);
	assert.deepEqual([hooks.length, other.hooks.length], [1, 1]);

	control.setWebhooks({ callEnd: url });
	const second = control.sendCallEnd('g');
	await until(() => control.deliveries().length === 3);
	control.setWebhooks({ callEnd: null });
	await control.advanceClock(5 * SECOND);
	assert.equal((await second).attempt, 1);
});

test('elevenLabs: ten failures in a row switch the webhook off, if none arrived for 7 days', async (t) => {
	const { control, hooks, state, url } = await failing(t, {
		webhookDelivery: { preset: 'elevenLabs' },
	});
	const fail = async (times: number) => {
		for (let index = 0; index < times; index += 1) await control.sendCallEnd('g');
	};
	await fail(9);
	assert.equal(control.webhooks().callEnd, url);
	await fail(1);
	assert.equal(control.webhooks().callEnd, null);
	await assert.rejects(control.sendCallEnd('g'), /No CallEnd target/);
	assert.equal(hooks.length, 10);
	assert.match(
		control.log().at(-1)?.message ?? '',
		/CallEnd is switched off: 10 attempts in a row/,
	);

	// It is set again, and arrives: now a failure has 7 days, and a success begins anew.
	control.setWebhooks({ callEnd: url });
	state.fails = false;
	await fail(1);
	state.fails = true;
	await fail(12);
	assert.equal(control.webhooks().callEnd, url, 'the last success is not 7 days ago');
	await control.advanceClock(7 * 24 * HOUR + SECOND);
	await control.addRecording({ sessionGuid: 'g', content });
	await fail(1);
	assert.equal(control.webhooks().callEnd, null);
});

test('a preset asks CallStart once, because no call waits for hours', async (t) => {
	const { control, url, hooks } = await failing(t, { webhookDelivery: { preset: 'svix' } });
	control.setWebhooks({ callStart: url, callEnd: null });
	const { sessionGuid } = control.placeCall({ to: '+1' });
	assert.equal((await control.completedCall(sessionGuid)).recorded, false);
	assert.equal(hooks.length, 1);
});

test('a reset and an end do not wait for retries', { timeout: 20_000 }, async (t) => {
	const emulator = await failing(t, {
		callSpeed: 1,
		ringSeconds: 0,
		defaultDurationSeconds: 0.1,
		webhookDelivery: { preset: 'nmi' },
	});
	const { control } = emulator;
	control.placeCall({ to: '+1' });
	await until(() => control.deliveries().length === 1);
	await control.reset();
	control.placeCall({ to: '+1' });
	await until(() => control.deliveries().length === 1);
	await emulator.close();
});

test('retries replace a preset, and a preset replaces retries', async (t) => {
	const { control } = await start(t, { webhookDelivery: { retries: 2 } });
	const schedule = ({ preset, retries } = control.webhookDelivery()) => [preset, retries];
	assert.deepEqual(schedule(control.setWebhookDelivery({ preset: 'svix' })), ['svix', 0]);
	assert.deepEqual(schedule(control.setWebhookDelivery({ copies: 2 })), ['svix', 0]);
	assert.deepEqual(schedule(control.setWebhookDelivery({ retries: 3 })), [null, 3]);
	// What was read can be set again.
	control.setWebhookDelivery({ preset: 'nmi' });
	assert.deepEqual(schedule(control.setWebhookDelivery(control.webhookDelivery())), ['nmi', 0]);
});

test('FAULTS.md names every preset, how often it tries, and where that is said', async () => {
	const page = await readFile(new URL('../FAULTS.md', import.meta.url), 'utf8');
	const rows = tableRows(page, '## Webhooks')
		.map(([name = '', number, , source = '']) => ({ name: name.slice(1, -1), number, source }))
		.filter(({ name }) => (presetNames as string[]).includes(name));
	const listed = rows.map(({ name, number }) => [name, Number(number)]);
	assert.deepEqual(listed, Object.entries(attempts));
	assert.deepEqual(presetNames, Object.keys(attempts));
	for (const { name, source } of rows.slice(1)) assert.match(source, /\]\(https:\S+\)/, name);
});
