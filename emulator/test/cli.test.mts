import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { send, start } from './helpers.mts';

const script = fileURLToPath(new URL('../src/cli.mts', import.meta.url));

interface Run {
	child: ChildProcess;
	output: () => string;
	/** Resolves with the output once it matches; fails when the program ends before that. */
	until(pattern: RegExp): Promise<RegExpExecArray>;
	exit: Promise<number | null>;
}

function run(t: TestContext, args: string[], env: Record<string, string> = {}): Run {
	const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...env } });
	t.after(() => child.kill('SIGKILL'));
	let output = '';
	const exit = once(child, 'close').then(([code]: unknown[]) => code as number | null);
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
	}
	return {
		child,
		exit,
		output: () => output,
		async until(pattern) {
			for (;;) {
				const match = pattern.exec(output);
				if (match) return match;
				const ended = await Promise.race([exit, once(child.stdout, 'data').then(() => 'more')]);
				if (ended !== 'more' && !pattern.test(output)) {
					assert.fail(`ended before ${String(pattern)}: ${output}`);
				}
			}
		},
	};
}

test('prints its address and one line per event, without secrets, and stops on SIGTERM', async (t) => {
	const instructions = { recordCall: true, recordCallPassword: 'topsecret' };
	const cli = run(t, [
		...['--port', '0', '--in-memory', '--call-speed', 'Infinity'],
		...['--api-key', 'key-0123456789', '--default-instructions', JSON.stringify(instructions)],
	]);
	const [, url = ''] = await cli.until(/(http:\/\/127\.0\.0\.1:\d+)\n/);
	await cli.until(/Stop with/);
	const headers = { Token: 'key-0123456789' };
	const body = { to: '+1\n\u001b[2Jfake line', durationSeconds: 1 };
	assert.equal((await send(url, 'POST', '/api/customer/makecall', { headers, body })).status, 200);
	await cli.until(/recording stored, \d+ bytes/);
	await send(url, 'GET', '/api/customer/recordings?key=key-0123456789', { headers });
	await cli.until(/GET \/api\/customer\/recordings 200 \(\d+ ms, key key…\)/);
	assert.match(cli.output(), /recorded as opus, encrypted/);
	assert.doesNotMatch(cli.output(), /topsecret|0123456789/);
	const lines = cli.output().split('Ctrl+C\n')[1]?.trimEnd().split('\n') ?? [];
	for (const line of lines) assert.match(line, /^\d\d:\d\d:\d\d \P{Cc}+$/u);
	cli.child.kill('SIGTERM');
	assert.equal(await cli.exit, 0);
	assert.match(cli.output(), /Stopped\n$/);
});

test('every option can come from the environment, and options win', async (t) => {
	const dataDir = await mkdtemp(path.join(tmpdir(), 'voiceagent-emulator-test-'));
	t.after(() => rm(dataDir, { recursive: true, force: true }));
	const cli = run(t, ['--call-end-url', 'http://127.0.0.1:9/option'], {
		VOICEAGENT_EMULATOR_PORT: '0',
		VOICEAGENT_EMULATOR_DATA_DIR: dataDir,
		VOICEAGENT_EMULATOR_API_KEY: 'one two=listRecordings three=none',
		VOICEAGENT_EMULATOR_CALL_START_URL: 'http://user:pw@127.0.0.1:9/hook?secret=1',
		VOICEAGENT_EMULATOR_CALL_END_URL: 'http://127.0.0.1:9/environment',
	});
	const [, url = ''] = await cli.until(/(http:\/\/127\.0\.0\.1:\d+)\n/);
	await cli.until(/Stop with/);
	assert.match(cli.output(), /CallStart goes to: +http:\/\/127\.0\.0\.1:9\/hook\n/);
	assert.match(cli.output(), /CallEnd goes to: +http:\/\/127\.0\.0\.1:9\/option\n/);
	const status = async (method: string, key: string) =>
		(await send(url, method, '/api/customer/recordings', { headers: { Token: key } })).status;
	assert.equal(await status('GET', 'one'), 200);
	assert.equal(await status('GET', 'two'), 200);
	assert.equal(await status('GET', 'three'), 403);
	assert.equal(await status('GET', 'demo-key'), 401);
	assert.ok((await readdir(dataDir)).includes('emulator.sqlite'));
	cli.child.kill('SIGINT');
	assert.equal(await cli.exit, 0);
});

test('--seed-file and --control-token, by option and by environment', async (t) => {
	const folder = await mkdtemp(path.join(tmpdir(), 'voiceagent-emulator-test-'));
	t.after(() => rm(folder, { recursive: true, force: true }));
	const token = 'token-of-the-tests';
	const content = Buffer.from('ID3 recording').toString('base64');
	const file = path.join(folder, 'seed.json');
	await writeFile(
		file,
		JSON.stringify({ recordings: [{ sessionGuid: 'seed-0001', contentBase64: content }] }),
	);
	const given: [string[], Record<string, string>][] = [
		[['--seed-file', file, '--control-token', token], {}],
		[[], { VOICEAGENT_EMULATOR_SEED_FILE: file, VOICEAGENT_EMULATOR_CONTROL_TOKEN: token }],
	];
	for (const [args, env] of given) {
		const cli = run(t, ['--port', '0', '--in-memory', ...args], env);
		const [, url = ''] = await cli.until(/(http:\/\/127\.0\.0\.1:\d+)\n/);
		await cli.until(/Stop with/);
		const recording = await send(url, 'GET', '/api/customer/recordings/seed-0001');
		assert.equal(recording.body.toString(), 'ID3 recording');
		const control = async (headers: Record<string, string>) =>
			(await send(url, 'GET', '/control/clock', { headers: { Host: 'elsewhere', ...headers } }))
				.status;
		assert.equal(await control({ authorization: `Bearer ${token}` }), 200);
		assert.equal(await control({ authorization: 'Bearer another-token-of-16' }), 403);
		assert.doesNotMatch(cli.output(), /token-of-the-tests/);
		cli.child.kill('SIGTERM');
		assert.equal(await cli.exit, 0);
	}
});

test('a clock that was moved before a restart is in the log, and its time at the start', async (t) => {
	const dataDir = await mkdtemp(path.join(tmpdir(), 'voiceagent-emulator-test-'));
	t.after(() => rm(dataDir, { recursive: true, force: true }));
	const moved = /warn: the clock was moved/;
	async function startOnce(): Promise<[Run, string, number]> {
		const cli = run(t, ['--port', '0', '--data-dir', dataDir]);
		const [, url = ''] = await cli.until(/(http:\/\/127\.0\.0\.1:\d+)\n/);
		const [, time = ''] = await cli.until(/Clock: +([^\s,]+).*\nStop with/);
		return [cli, url, Date.parse(time) - Date.now()];
	}
	const [first, url, aheadAtFirst] = await startOnce();
	assert.doesNotMatch(first.output(), moved);
	assert.doesNotMatch(first.output(), /this machine/);
	assert.ok(aheadAtFirst <= 0);
	await send(url, 'POST', '/control/clock/advance', { body: { ms: 30 * 86_400_000 } });
	first.child.kill('SIGTERM');
	await first.exit;
	const [second, , aheadAtSecond] = await startOnce();
	assert.match(second.output(), moved);
	assert.match(second.output(), /Clock: .*, 43200 minutes ahead of this machine\n/);
	assert.ok(aheadAtSecond > 29 * 86_400_000);
});

test('a busy port is named with what to do, and the exit code is 1', async (t) => {
	const { port } = new URL((await start(t)).url);
	const cli = run(t, ['--port', port, '--in-memory']);
	assert.equal(await cli.exit, 1);
	assert.match(cli.output(), new RegExp(`^Port ${port} .*in use.*--port.*\\n$`));
});

test('mistakes on the command line are named in one line', async (t) => {
	const cases: [string[], RegExp][] = [
		[['--bogus'], /--bogus/],
		[['--call-speed', 'fast'], /--call-speed is not a number/],
		[['--port', ''], /--port is not a number/],
		[['--call-end-url', 'example.com'], /--call-end-url/],
		[['--default-instructions', '{"recordCallPassword":"topsecret"'], /--default-instructions/],
		[['--api-key', 'k=fly'], /--api-key has no permissions after its last "="/],
		[['--in-memory', '--data-dir', 'x'], /--in-memory' cannot be used with .*--data-dir/],
		[['--host', '0.0.0.0'], /--allow-remote/],
		[['--shape', 'list'], /--shape list needs/],
		[['--shape', 'list=tree'], /list .*array, recordings/],
		[['--fault', '{"fault":{"kind":"drop"}}'], /fault\.afterBytes is missing/],
		[['--fault', '{'], /--fault is not JSON/],
		[['--webhook-delivery', '[1]'], /--webhook-delivery is not a JSON object/],
		[['--certificate', 'expired'], /--certificate needs --https/],
		[['--https', '--certificate', 'x'], /--certificate .* valid, selfSigned, expired, wrongName/],
		[['--control-token', 'short'], /controlToken must have 16 to 200 /],
		[['--seed-file', 'missing.json'], /--seed-file .*missing\.json/],
		[['--seed-file', script], /--seed-file is not JSON/],
		[['stray'], /too many arguments/],
	];
	await Promise.all(
		cases.map(async ([args, expected]) => {
			const cli = run(t, args);
			assert.equal(await cli.exit, 1, args.join(' '));
			assert.match(cli.output(), expected);
			assert.doesNotMatch(cli.output(), /topsecret|\n\s+at /);
			assert.equal(cli.output().trimEnd().split('\n').length, 1, cli.output());
		}),
	);
});

test('shapes, faults, delivery and HTTPS by option and by environment', async (t) => {
	const folder = await mkdtemp(path.join(tmpdir(), 'voiceagent-emulator-test-'));
	t.after(() => rm(folder, { recursive: true, force: true }));
	const caFile = path.join(folder, 'ca.pem');
	const fault = { match: { method: 'DELETE' }, fault: { kind: 'status', status: 418 } };
	const cli = run(
		t,
		[
			...['--port', '0', '--in-memory', '--https', '--https-port', '0', '--ca-file', caFile],
			...['--shape', 'list=paged', '--shape', 'pageSize=3', '--fault', JSON.stringify(fault)],
		],
		{
			VOICEAGENT_EMULATOR_CERTIFICATE: 'wrongName',
			VOICEAGENT_EMULATOR_SHAPE: 'list=items',
			VOICEAGENT_EMULATOR_WEBHOOK_DELIVERY: '{"retries":2}',
		},
	);
	const [, url = ''] = await cli.until(/(http:\/\/127\.0\.0\.1:\d+)\n/);
	const [, httpsUrl = ''] = await cli.until(/(https:\/\/127\.0\.0\.1:\d+)\n/);
	await cli.until(/Stop with/);
	const control = async (name: string) =>
		(await send(url, 'GET', `/control/${name}`, { headers: {} })).json();
	const shapes = await control('shapes');
	assert.equal(shapes['list'], 'paged', 'options win');
	assert.equal(shapes['pageSize'], 3);
	assert.equal((await control('webhook-delivery'))['retries'], 2);
	assert.equal((await send(url, 'DELETE', '/api/customer/recordings/x')).status, 418);
	await cli.until(/fault status hits DELETE \/api\/customer\/recordings\/x/);
	const ca = await readFile(caFile, 'utf8');
	const refusal = await new Promise<NodeJS.ErrnoException>((resolve, reject) => {
		https.get(httpsUrl, { ca }, reject).on('error', resolve);
	});
	assert.equal(refusal.code, 'ERR_TLS_CERT_ALTNAME_INVALID');

	const other = run(t, ['--port', '0', '--in-memory'], {
		VOICEAGENT_EMULATOR_SHAPE: 'recordFields=PascalCase list=data',
		// An empty variable counts as omitted, and a switch is on only if its variable says so.
		VOICEAGENT_EMULATOR_HTTPS: 'no',
		VOICEAGENT_EMULATOR_DATA_DIR: '',
	});
	const [, otherUrl = ''] = await other.until(/(http:\/\/127\.0\.0\.1:\d+)\n/);
	const reply = await send(otherUrl, 'GET', '/api/customer/recordings');
	assert.deepEqual(reply.json(), { data: [] });
	await other.until(/State: +in memory/);
	assert.doesNotMatch(other.output(), /https:/);
});

test('--version prints that of the package', async (t) => {
	const cli = run(t, ['--version']);
	assert.equal(await cli.exit, 0);
	const manifest = await readFile(new URL('../package.json', import.meta.url), 'utf8');
	assert.equal(cli.output().trim(), (JSON.parse(manifest) as { version: string }).version);
});

test('--help lists the options', async (t) => {
	const cli = run(t, ['--help']);
	assert.equal(await cli.exit, 0);
	for (const name of [
		'port',
		'data-dir',
		'in-memory',
		'call-start-url',
		'api-key',
		'call-speed',
		'shape',
		'fault',
	]) {
		assert.ok(cli.output().includes(`--${name}`), name);
	}
	assert.match(cli.output(), /VOICEAGENT_EMULATOR_/);
});

test('--webhook-preset and --outcome, by option and by environment', async (t) => {
	const given: [string[], Record<string, string>][] = [
		[['--webhook-preset', 'svix', '--outcome', '+15550101=busy', '--outcome', '*=voicemail'], {}],
		[
			['--webhook-delivery', '{"copies":2}'],
			{
				VOICEAGENT_EMULATOR_WEBHOOK_PRESET: 'svix',
				VOICEAGENT_EMULATOR_OUTCOME: '+15550101=busy *=voicemail',
			},
		],
	];
	for (const [args, env] of given) {
		const cli = run(t, ['--port', '0', '--in-memory', ...args], env);
		const [, url = ''] = await cli.until(/(http:\/\/127\.0\.0\.1:\d+)\n/);
		await cli.until(/Stop with/);
		const control = async (path: string) =>
			(await send(url, 'GET', `/control/${path}`, { headers: {} })).json();
		const { preset, copies } = await control('webhook-delivery');
		assert.deepEqual([preset, copies], ['svix', args.length === 2 ? 2 : 1]);
		assert.deepEqual(await control('outcomes'), {
			outcomes: [
				{ to: '+15550101', outcome: 'busy' },
				{ to: '*', outcome: 'voicemail' },
			],
		});
		cli.child.kill('SIGTERM');
		assert.equal(await cli.exit, 0);
	}
	for (const [option, value, says] of [
		['--webhook-preset', 'fax', /Allowed choices are once, elevenLabs, ultravox, svix/],
		['--outcome', 'busy', /--outcome busy needs "<number>=<outcome>"/],
		['--outcome', '+1=rich', /^outcomes: .*answered, voicemail, busy, noAnswer/],
	] as const) {
		const cli = run(t, ['--port', '0', '--in-memory', option, value]);
		assert.equal(await cli.exit, 1);
		assert.match(cli.output(), says);
	}
});
