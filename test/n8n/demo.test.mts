import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';

import { listen } from '../../harness/listen.mts';
import { choosePort } from '../../harness/demo/ports.mts';
import { freePort, isFree } from '../../harness/n8n/ports.mts';
import { until } from '../../harness/until.mts';

const ROOT = join(import.meta.dirname, '../..');
const START = join(ROOT, 'harness/demo/start.mts');
const HELP = 'harness/demo/start.help.txt';
const ARCHIVED = /archived byte for byte, deleted from the service$/gm;

/** The daily report, once this many recordings are archived. */
const reportOf = (recordings: number) =>
	new RegExp(
		[
			String.raw`report  \| \*VoiceAgent recordings: all is well\*\n`,
			String.raw`archived in the last 24 hours: ${recordings}\n`,
		].join('[^]*'),
	);

/**
 * The command lines of all processes that were started for this folder: npm, the demo, n8n and its
 * runners.
 */
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

	async function demo(options: string[]) {
		const child = spawn(process.execPath, [START, '--folder', folder, ...options]);
		let output = '';
		const read = (text: Buffer) => void (output += text.toString());
		child.stdout.on('data', read);
		child.stderr.on('data', read);
		const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
		return { code, output };
	}

	async function freePorts(): Promise<string[]> {
		return ['--n8n-port', `${await freePort()}`, '--emulator-port', `${await freePort()}`];
	}

	test('--once archives a call in each format, plain and encrypted, and ends with 0', async () => {
		const { code, output } = await demo(['--once', ...(await freePorts())]);
		assert.equal(code, 0, output);
		assert.equal(output.match(ARCHIVED)?.length, 6, output);
		assert.match(output, /^6 of the 6 calls of this start are in /m);
		// A line for each call, and nothing else, because nothing has gone wrong.
		const line =
			/^ {2}call to \+15550100 \((?:opus|mp3|wav)(?:, encrypted)?\): placed, recorded, archived, deleted {2}\S+$/gm;
		assert.equal(output.match(line)?.length, 6, output);
		assert.doesNotMatch(output, /service \|/);
		assert.match(output, reportOf(6));
		assert.match(output, /It covers 24 hours:$/m);
		const files = await readdir(join(folder, 'archive'));
		// Beside each recording lies its metadata.
		const metadata = Array(6).fill('json') as string[];
		const recordings = ['mp3', 'mp3', 'opus', 'opus', 'wav', 'wav'];
		const extensions = files.map((file) => file.split('.')[1]);
		assert.deepEqual(extensions.sort(), [...metadata, ...recordings]);
	});

	/** What the addresses of pages that the demo has printed show. */
	async function pagesIn(output: string): Promise<string[]> {
		const [, user, password] = /user (\S+), password (\S+)/.exec(output) ?? [];
		const headers = { Authorization: `Basic ${btoa(`${user}:${password}`)}` };
		const addresses = output.matchAll(/http:\S+\/webhook\/voiceagent\/\S+/g);
		return await Promise.all(
			[...addresses].map(async ([url]) => await (await fetch(url, { headers })).text()),
		);
	}

	const stops = [
		{ signal: 'SIGTERM', when: 'after a second start', printed: /Stop with Ctrl\+C/ },
		{ signal: 'SIGHUP', when: 'while n8n starts', printed: /Starting n8n/ },
	] as const;
	for (const { signal, when, printed } of stops) {
		const skip = process.platform === 'linux' ? false : 'needs /proc to find what is left';
		test(`${signal} to npm ${when} leaves nothing behind`, { skip }, async () => {
			const options = ['--folder', folder, ...(await freePorts())];
			const npm = spawn('npm', ['start', '--', ...options], { cwd: ROOT, detached: true });
			let output = '';
			let pages: Promise<string[]> | undefined;
			const read = (text: Buffer) => {
				output += text.toString();
				if (pages || !printed.test(output)) return;
				pages = pagesIn(output).finally(() => npm.kill(signal));
			};
			npm.stdout.on('data', read);
			npm.stderr.on('data', read);
			const closed = once(npm, 'close');
			await once(npm, 'exit');
			let left: string[] = [];
			await until(
				async () => (left = await processesOf(folder)).length === 0,
				() => left.join('\n'),
			);
			// Only now, because a process that is left holds the output open.
			const ended = await closed;
			assert.match(output, printed, `npm ended with ${ended.join(' ')} and printed:\n${output}`);
			if (signal === 'SIGHUP') return;
			// It has found everything again.
			assert.match(output, reportOf(12));
			assert.match(output, /^6 of the 6 calls of this start are in /m);
			assert.match(output, /It covers 24 hours, so it counts 6 of earlier starts too:$/m);
			assert.match(output, /Stopping n8n and the service/);
			assert.equal((await readdir(join(folder, 'archive'))).length, 24);
			const [status = '', findACall = ''] = (await pages) ?? [];
			assert.match(status, /Recordings archived in the last 24 hours<\/dt><dd>12</);
			assert.match(findACall, /Newest calls: 12</);
		});
	}

	test('a taken port that was entered is refused, and the option is named', async () => {
		const { port, close } = await listen(createServer());
		for (const option of ['--n8n-port', '--emulator-port']) {
			const { code, output } = await demo(['--once', ...(await freePorts()), option, `${port}`]);
			assert.equal(code, 1, output);
			assert.match(output, new RegExp(`^Port ${port} is taken .* with ${option}\\.$`, 'm'));
		}
		await close();
	});

	test('a free port takes the place of the usual one if that is taken', async () => {
		const { port, close } = await listen(createServer());
		const wanted = { option: '--emulator-port', given: undefined, usual: port, what: 'it' };
		const chosen = await choosePort(wanted);
		assert.notEqual(chosen, port);
		assert.ok(await isFree(chosen));
		await close();
		assert.equal(await choosePort(wanted), port);
	});

	test('--help needs no set-up', async () => {
		const bare = join(folder, 'bare');
		for (const part of ['scripts', 'package.json', 'emulator/src/end-with-npm.mjs', HELP]) {
			await cp(join(ROOT, part), join(bare, part), { recursive: true });
		}
		const command = [join(bare, 'scripts/run.mjs'), 'harness/demo/start.mts', '--help'];
		const { stdout } = await promisify(execFile)(process.execPath, command);
		assert.equal(stdout, await readFile(join(ROOT, HELP), 'utf8'));
		const copied = ['emulator', 'harness', 'package.json', 'scripts'];
		assert.deepEqual((await readdir(bare)).toSorted(), copied);
	});

	test('an invalid port is refused by name', async () => {
		const { code, output } = await demo(['--n8n-port', 'http']);
		assert.equal(code, 1);
		assert.match(output, /--n8n-port must be a number from 1 to 65535/);
	});
});
