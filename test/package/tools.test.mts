/** The two tools as they are published: packed, installed into an empty project and used there. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { after, suite, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
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

	test('runs as it is installed', () => {
		const output = execFileSync(join(project, 'node_modules/.bin/file-decryptor'), ['--version'], {
			encoding: 'utf8',
		});
		assert.match(output, /\d+\.\d+\.\d+/);
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
		assert.deepEqual(others.sort(), ['LICENSE.md', 'README.md', 'package.json']);
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

	test('has types for its API', () => {
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
		const args = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
		args.push('--target', 'es2023', '--typeRoots', types, '--types', 'node', 'use.mts');
		execFileSync(process.execPath, [tsc, ...args], { cwd: project, stdio: 'inherit' });
	});
});
