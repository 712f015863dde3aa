import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { freePort } from '../../harness/n8n/ports.mts';

const START = join(import.meta.dirname, '../../harness/demo/start.mts');
const ARCHIVED = /archived byte for byte, deleted at the service$/gm;

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

	/** Runs the demo; sends Ctrl+C once its output matches `until`. */
	async function demo(options: string[], until?: RegExp): Promise<Ended> {
		const child = spawn(process.execPath, [START, '--folder', folder, ...options]);
		let output = '';
		let interrupted = false;
		const read = (text: Buffer) => {
			output += text.toString();
			if (!interrupted && until?.test(output)) {
				interrupted = true;
				child.kill('SIGINT');
			}
		};
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
		const files = await readdir(join(folder, 'archive'));
		assert.deepEqual(files.map((file) => file.split('.')[1]).sort(), [
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
		assert.match(output, /Stopping n8n and the service/);
		assert.equal((await readdir(join(folder, 'archive'))).length, 12);
	});

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

	test('an invalid port is refused by name', async () => {
		const { code, output } = await demo(['--n8n-port', 'http']);
		assert.equal(code, 1);
		assert.match(output, /--n8n-port must be a number from 1 to 65535/);
	});
});
