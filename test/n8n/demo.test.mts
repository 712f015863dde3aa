import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { freePort } from '../../harness/n8n/ports.mts';

const ROOT = join(import.meta.dirname, '../..');
const START = join(ROOT, 'harness/demo/start.mts');
const HELP = 'harness/demo/start.help.txt';
const ARCHIVED = /archived byte for byte, deleted from the service$/gm;

/** The daily report, once this many recordings are archived. */
const reportOf = (recordings: number) =>
	new RegExp(
		String.raw`report  \| \*VoiceAgent recordings: all is well\*\n[^]*archived in the last 24 hours: ${recordings}\n`,
	);

/** The command lines of all processes that were started for this folder: npm, the demo, n8n and its runners. */
async function processesOf(folder: string): Promise<string[]> {
	const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
	const texts = await Promise.all(
		pids.map(async (pid) => {
			// Those of other users cannot be read, and some end meanwhile.
			const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
			const command = await read('cmdline');
			return `${command}${await read('environ')}`.includes(folder) ? [`${pid} ${command}`] : [];
		}),
	);
	return texts.flat();
}

suite('demo (npm start)', () => {
	let folder: string;
	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-demo-'));
	});
	after(async () => await rm(folder, { recursive: true, force: true }));

	interface Ended {
		code: number | null;
		output: string;
	}

	/** Runs the demo; once its output matches `until`, calls `then` with it and sends Ctrl+C. */
	async function demo(
		options: string[],
		until?: RegExp,
		then: (output: string) => Promise<void> = async () => {},
	): Promise<Ended> {
		const child = spawn(process.execPath, [START, '--folder', folder, ...options]);
		let output = '';
		let reached: Promise<void> | undefined;
		const read = (text: Buffer) => {
			output += text.toString();
			if (until?.test(output)) reached ??= then(output).finally(() => child.kill('SIGINT'));
		};
		child.stdout.on('data', read);
		child.stderr.on('data', read);
		const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
		await reached;
		return { code, output };
	}

	async function freePorts(): Promise<string[]> {
		return ['--n8n-port', `${await freePort()}`, '--emulator-port', `${await freePort()}`];
	}

	test('--once archives a call in each format, plain and encrypted, and ends with 0', async () => {
		const { code, output } = await demo(['--once', ...(await freePorts())]);
		assert.equal(code, 0, output);
		assert.equal(output.match(ARCHIVED)?.length, 6, output);
		assert.match(output, reportOf(6));
		const files = await readdir(join(folder, 'archive'));
		// Beside each recording lies its metadata.
		assert.deepEqual(files.map((file) => file.split('.')[1]).sort(), [
			...['json', 'json', 'json', 'json', 'json', 'json'],
			...['mp3', 'mp3'],
			...['opus', 'opus'],
			...['wav', 'wav'],
		]);
	});

	test('a second start finds everything again, runs until Ctrl+C and stops in order', async () => {
		const { code, output } = await demo(await freePorts(), /Stop with Ctrl\+C/);
		assert.equal(code, 0, output);
		assert.equal(output.match(ARCHIVED)?.length, 6, output);
		for (const address of [/n8n +http:\/\/\S+/, /Swagger UI +http:\/\/\S+\/swagger/]) {
			assert.match(output, address);
		}
		assert.match(output, reportOf(12));
		assert.match(output, /Stopping n8n and the service/);
		assert.equal((await readdir(join(folder, 'archive'))).length, 24);
	});

	test('shows how to build a workflow of your own, and the examples of the emulator break nothing', async () => {
		const ports = await freePorts();
		const { output } = await demo(ports, /Stop with Ctrl\+C/, async (shown) => {
			const [, block = ''] = /^Build your own\..*\n((?: {2}.*\n)+)/m.exec(shown) ?? [];
			const rows = block.matchAll(/^ {2}(.{35})(.{13})(.*)$/gm);
			const values = new Map([...rows].map(([, , field = '', value]) => [field.trim(), value]));
			const forms = await credentialForms();
			for (const field of values.keys()) if (field) assert.ok(forms.includes(`'${field}'`), field);
			assert.equal(values.get(''), join(folder, 'archive'));

			const service = String(values.get('Base URL'));
			await sendExamples(service, (text) => text.replaceAll(':5678/', `:${ports[1]}/`));
			const { stdout } = await shell(/curl -H .*$/m.exec(shown)?.[0]);
			const { sessionGuid } = JSON.parse(stdout) as { sessionGuid: string };
			await archived(sessionGuid);

			// To a trigger that there is not, and back.
			const [away = '', back = ''] = [...shown.matchAll(/curl -X PUT .*$/gm)].map(([line]) => line);
			const elsewhere = 'http://127.0.0.1:9/webhook/mine';
			const targets = await shell(away.replace('YOUR_PRODUCTION_URL', elsewhere));
			assert.match(targets.stdout, /"callEnd":"http:\/\/127\.0\.0\.1:9\/webhook\/mine"/);
			assert.match((await shell(back)).stdout, /"callEnd":"[^"]*\/webhook\/call-end\/webhook"/);
		});
		assert.match(output, /Stopping n8n and the service/);
	});

	/** The sources of the forms, whose labels the block uses. */
	async function credentialForms(): Promise<string> {
		const names = await readdir(join(ROOT, 'credentials'));
		const files = names.map((name) => readFile(join(ROOT, 'credentials', name), 'utf8'));
		return (await Promise.all(files)).join();
	}

	const shell = async (command = '') => await promisify(execFile)('sh', ['-c', command]);

	/** What Swagger UI fills in for each request, sent as it is. */
	async function sendExamples(service: string, adapt: (text: string) => string): Promise<void> {
		interface Operation {
			requestBody?: {
				content: Record<string, { examples?: Record<string, { value: unknown }> }>;
			};
		}
		const reply = await fetch(`${service}/swagger/v1/swagger.json`);
		const { paths } = (await reply.json()) as { paths: Record<string, Record<string, Operation>> };
		const sent: string[] = [];
		for (const [path, operations] of Object.entries(paths)) {
			for (const [method, { requestBody }] of Object.entries(operations)) {
				const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
				if (example === undefined) continue;
				const address = path.replace('{sessionGuid}', '7c9e6679-7425-40de-944b-e07fc1f90ae7');
				const { status } = await fetch(`${service}${address}`, {
					method: method.toUpperCase(),
					headers: { Token: 'demo-key', 'Content-Type': 'application/json' },
					body: adapt(JSON.stringify(example.value)),
				});
				sent.push(`${method} ${path} ${status}`);
			}
		}
		assert.ok(sent.length > 10, sent.join('\n'));
	}

	/** Waits until the audio of a call and its metadata are in the archive. */
	async function archived(sessionGuid: string): Promise<void> {
		const deadline = Date.now() + 180_000;
		for (;;) {
			const files = await readdir(join(folder, 'archive'));
			if (files.filter((file) => file.includes(sessionGuid)).length === 2) return;
			assert.ok(Date.now() < deadline, files.join('\n'));
			await sleep(200);
		}
	}

	const stops = [
		{ signal: 'SIGTERM', when: 'after the calls', until: /Stop with Ctrl\+C/ },
		{ signal: 'SIGHUP', when: 'while n8n starts', until: /Starting n8n/ },
	] as const;
	for (const { signal, when, until } of stops) {
		const skip = process.platform === 'linux' ? false : 'needs /proc to find what is left';
		test(`${signal} to npm ${when} leaves nothing behind`, { skip }, async () => {
			const options = ['--folder', folder, ...(await freePorts())];
			const npm = spawn('npm', ['start', '--', ...options], { cwd: ROOT, detached: true });
			let output = '';
			const read = (text: Buffer) => {
				output += text.toString();
				if (until.test(output)) npm.kill(signal);
			};
			npm.stdout.on('data', read);
			npm.stderr.on('data', read);
			const closed = once(npm, 'close');
			await once(npm, 'exit');
			const deadline = Date.now() + 120_000;
			for (
				let left = await processesOf(folder);
				left.length > 0;
				left = await processesOf(folder)
			) {
				assert.ok(Date.now() < deadline, left.join('\n'));
				await sleep(200);
			}
			// Only now, because a process that is left holds the output open.
			const ended = await closed;
			assert.match(output, until, `npm ended with ${ended.join(' ')} and printed:\n${output}`);
		});
	}

	for (const option of ['--n8n-port', '--emulator-port']) {
		test(`a busy port is named: ${option}`, async () => {
			const busy = createServer().listen(0, '127.0.0.1');
			await once(busy, 'listening');
			const { port } = busy.address() as AddressInfo;
			const { code, output } = await demo(['--once', ...(await freePorts()), option, `${port}`]);
			await new Promise((resolve) => busy.close(resolve));
			assert.equal(code, 1, output);
			assert.match(output, new RegExp(`\\b[Pp]ort ${port}\\b`));
		});
	}

	test('--help needs no set-up, and says what the program says', async () => {
		const bare = join(folder, 'bare');
		for (const part of ['scripts', 'package.json', 'emulator/src/end-with-npm.mjs', HELP]) {
			await cp(join(ROOT, part), join(bare, part), { recursive: true });
		}
		const command = [join(bare, 'scripts/run.mjs'), 'harness/demo/start.mts', '--help'];
		const { stdout } = await promisify(execFile)(process.execPath, command);
		assert.equal(stdout, (await demo(['--help'])).output);
		assert.deepEqual((await readdir(bare)).toSorted(), [
			...['emulator', 'harness', 'package.json', 'scripts'],
		]);
	});

	test('an invalid port is refused by name', async () => {
		const { code, output } = await demo(['--n8n-port', 'http']);
		assert.equal(code, 1);
		assert.match(output, /--n8n-port must be a number from 1 to 65535/);
	});
});
