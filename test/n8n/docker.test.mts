/**
 * The compose files of the documentation: what they say, and that n8n works with their environment.
 * The tests need no Docker.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { validate } from 'dockerfile-utils';

import { startStack, type Stack } from '../../harness/stack.mts';
import { archiveToFolder } from '../../harness/workflows.mts';
import { compose, DOCKER, environmentOf, isN8n, isRunner, TIME_ZONE } from './compose.mts';
import { publishArchive } from './archived.mts';
import { succeeded } from './suite.mts';

const N8N = join(import.meta.dirname, '../../harness/runtime/node_modules/n8n');

/** Asserts that a call is recorded and archived. */
async function assertArchives(stack: Stack, folder: string): Promise<void> {
	const { n8n, emulator } = stack;
	const id = await publishArchive(stack, archiveToFolder(folder));
	emulator.control.setDefaultInstructions({ recordCall: true });
	const { sessionGuid } = emulator.control.placeCall({ to: '+15550100', durationSeconds: 1 });
	await emulator.control.completedCall(sessionGuid);
	succeeded((await n8n.waitForExecutions({ workflowId: id, count: 1 }))[0]);
	assert.equal(stack.ledger(sessionGuid).state, 'deleted');
}

/**
 * Asserts that n8n refuses to write to a folder that would be gone with the container, so that
 * nothing is deleted from the service.
 */
async function assertNowhereElse(stack: Stack): Promise<void> {
	const { n8n, emulator } = stack;
	const lost = join(n8n.userFolder, '.n8n-files');
	await mkdir(lost, { recursive: true });
	const id = await publishArchive(stack, archiveToFolder(lost));
	const { sessionGuid } = emulator.control.placeCall({ to: '+15550100', durationSeconds: 1 });
	await emulator.control.completedCall(sessionGuid);
	const [execution] = await n8n.waitForExecutions({ workflowId: id, count: 1 });
	assert.equal(execution?.status, 'error');
	assert.match(String(execution.error?.message), /not allowed/);
	assert.deepEqual(await readdir(lost), []);
	assert.equal(stack.ledger(sessionGuid).state, 'stored');
}

/** The settings of which n8n's own migration report says that the next version removes them. */
async function removedInNextVersion(): Promise<Set<string>> {
	const rules = join(N8N, 'dist/modules/breaking-changes/rules/v3');
	const removed = new Set<string>();
	for (const file of await readdir(rules)) {
		if (!file.endsWith('.rule.js')) continue;
		const code = await readFile(join(rules, file), 'utf8');
		const names = code.matchAll(/([A-Z\d_]+) (?:environment )?variable (?:is|has been) removed/g);
		for (const [, name = ''] of names) removed.add(name);
	}
	return removed;
}

suite('the compose files of the documentation', { concurrency: 1 }, () => {
	for (const name of ['compose.folder.yml', 'compose.queue.yml']) {
		test(`${name} has each volume and service that it names, and the tested n8n`, async () => {
			const { services, volumes } = await compose(name);
			const { version } = JSON.parse(await readFile(join(N8N, 'package.json'), 'utf8')) as {
				version: string;
			};
			const runners = Object.values(services).filter(isRunner);
			const images = new Set(runners.map(({ image }) => image));
			assert.deepEqual([...images], [`n8nio/runners:${version}`]);
			for (const { image, build } of Object.values(services)) {
				assert.ok((image === undefined) !== (build === undefined));
			}
			const dockerfile = await readFile(join(DOCKER, 'Dockerfile'), 'utf8');
			assert.match(dockerfile, new RegExp(`^FROM n8nio/n8n:${version}$`, 'm'));
			const named = new Set<string>();
			for (const [service, settings] of Object.entries(services)) {
				for (const mount of settings.volumes.filter((one) => !one.startsWith('.'))) {
					named.add(String(mount.split(':')[0]));
				}
				const needed = settings.depends_on ?? [];
				for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) {
					assert.ok(services[other], `${service} needs ${other}`);
					if (!Array.isArray(needed)) assert.ok(services[other].healthcheck, other);
				}
			}
			assert.deepEqual(Object.keys(volumes).sort(), [...named].sort());
			const n8ns = Object.values(services).filter(isN8n);
			const enabled = n8ns.map(({ environment }) => environment?.N8N_UNVERIFIED_PACKAGES_ENABLED);
			assert.deepEqual([...new Set(enabled)], ['true']);
			// Without it, Docker starts nothing, and says so.
			const zones = n8ns.map(({ environment }) => environment?.GENERIC_TIMEZONE);
			assert.deepEqual(
				zones.filter((zone) => !zone?.startsWith('${GENERIC_TIMEZONE:?')),
				[],
			);
		});
	}

	test('the linter finds nothing in the Dockerfile', async () => {
		const dockerfile = await readFile(join(DOCKER, 'Dockerfile'), 'utf8');
		assert.deepEqual(validate(dockerfile), []);
		assert.equal(validate(dockerfile.replace('RUN', 'RUNS')).length, 1);
	});

	for (const name of ['compose.folder.yml', 'compose.queue.yml']) {
		test(`${name}: what n8n may write files to, and keeps, outlives the container`, async () => {
			const { services } = await compose(name);
			const n8ns = Object.entries(services).filter(([, service]) => isN8n(service));
			assert.ok(n8ns.length > 0);
			for (const [service, { environment = {}, volumes }] of n8ns) {
				const mounted = volumes.map((mount) => String(mount.split(':')[1]));
				const outlives = (path: string) =>
					mounted.some((folder) => path === folder || path.startsWith(`${folder}/`));
				const allowed = String(environment.N8N_RESTRICT_FILE_ACCESS_TO).split(';');
				const kept = [...allowed, String(environment.N8N_STORAGE_PATH)];
				// With SQLite, the ledger is in its file.
				if (environment.DB_TYPE === undefined) kept.push(String(environment.DB_SQLITE_DATABASE));
				// A volume would hide what the image has there.
				assert.ok(!outlives('/home/node/.n8n/nodes'));
				assert.deepEqual(
					kept.filter((path) => !outlives(path)),
					[],
					service,
				);
				// The archive is a folder of the machine: `down --volumes` does not delete it.
				for (const path of allowed) {
					const mount = volumes.find((one) => one.endsWith(`:${path}`));
					assert.match(String(mount), /^\.\//, path);
				}
			}
		});
	}

	for (const name of ['compose.folder.yml', 'compose.queue.yml']) {
		test(`${name}: what executes Code nodes has a task runner with its token and its time zone`, async () => {
			const { services } = await compose(name);
			const runners = Object.values(services).filter(isRunner);
			const served = new Set<string>();
			for (const { environment = {}, healthcheck } of runners) {
				const { hostname, port } = new URL(String(environment.N8N_RUNNERS_TASK_BROKER_URI));
				const n8n = services[hostname]?.environment;
				assert.equal(port, '5679', 'the default of N8N_RUNNERS_BROKER_PORT');
				assert.equal(n8n?.N8N_RUNNERS_MODE, 'external');
				for (const same of ['N8N_RUNNERS_AUTH_TOKEN', 'GENERIC_TIMEZONE']) {
					assert.equal(environment[same], n8n?.[same], same);
				}
				assert.ok(healthcheck);
				served.add(hostname);
			}
			const needed = Object.entries(services).filter(
				([service, settings]) => isN8n(settings) && service !== 'webhook',
			);
			assert.deepEqual(
				[...served],
				needed.map(([service]) => service),
			);
		});
	}

	test('no page tells anyone to archive to a folder that a container takes with it', async () => {
		const folder = join(DOCKER, '..');
		const pages = (await readdir(folder)).filter((name) => name.endsWith('.md'));
		assert.ok(pages.includes('getting-started.md'));
		for (const page of pages) {
			const text = await readFile(join(folder, page), 'utf8');
			for (const [line] of text.matchAll(/^.*\.n8n-files.*$/gm)) {
				assert.match(
					line,
					/where an archive must be|#where-an-archive-must-be|deleted with it/i,
					page,
				);
			}
		}
	});

	test('every setting of n8n that they and the page have is one that n8n reads', async () => {
		const read = new Set<string>();
		for (const folder of ['dist', '../@n8n/config/dist', '../n8n-core/dist']) {
			for (const file of await readdir(join(N8N, folder), { recursive: true })) {
				if (!file.endsWith('.js')) continue;
				const code = await readFile(join(N8N, folder, file), 'utf8');
				const names = code.matchAll(/(?:\bEnv\)?\('|process\.env\.)([A-Z\d_]+)\b/g);
				for (const [, name = ''] of names) read.add(name);
			}
		}
		const files = ['docker/compose.folder.yml', 'docker/compose.queue.yml', 'hosting.md'];
		const page = await Promise.all(files.map((file) => readFile(join(DOCKER, '..', file), 'utf8')));
		const settings = page
			.join('')
			.match(/\b(?:N8N|DB|EXECUTIONS|OFFLOAD|QUEUE|GENERIC)_[A-Z\d_]+/g);
		const named = [...new Set(settings)];
		assert.ok(named.length > 20);
		// The runner reads it, and not n8n.
		const runner = new Set(['N8N_RUNNERS_TASK_BROKER_URI']);
		assert.deepEqual(
			named.filter((name) => !read.has(name) && !runner.has(name)),
			[],
		);
		const removed = await removedInNextVersion();
		assert.ok(removed.has('OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS'));
		const [folder = '', queue = ''] = page;
		for (const name of removed) assert.ok(!`${folder}${queue}`.includes(name), name);
	});

	test('compose.folder.yml: n8n archives to the folder, at the public address, and keeps its data', async (t) => {
		const folder = await mkdtemp(join(tmpdir(), 'voiceagent-docker-'));
		t.after(async () => await rm(folder, { recursive: true, force: true }));
		const data = await mkdtemp(join(tmpdir(), 'voiceagent-data-'));
		t.after(async () => await rm(data, { recursive: true, force: true }));
		const { services } = await compose('compose.folder.yml');
		const folders = { '/archive': folder, '/home/node/.n8n/data': data };
		const env = environmentOf(services.n8n, folders);
		assert.equal(env.N8N_RESTRICT_FILE_ACCESS_TO?.split(';')[0], folder);
		const stack = await startStack({ n8n: { env, editor: true } });
		t.after(async () => await stack.stop());
		const { urlBaseWebhook, timezone } = await stack.n8n.rest<Record<string, unknown>>(
			'GET',
			'/rest/settings',
		);
		assert.equal(urlBaseWebhook, 'https://n8n.example.com/');
		assert.equal(timezone, TIME_ZONE);
		assert.doesNotMatch(stack.n8n.logTail(200), /WEBHOOK_URL/, 'n8n warns of an old setting');
		await assertArchives(stack, folder);
		await assertNowhereElse(stack);
		assert.deepEqual(
			(await readdir(data)).filter((name) => !/-(?:shm|wal)$/.test(name)),
			['database.sqlite', 'storage'],
		);
	});

	test('compose.queue.yml: only the reverse proxy is reached from outside, and it reaches n8n', async () => {
		const { services } = await compose('compose.queue.yml');
		const published = Object.keys(services).filter((name) => services[name]?.ports);
		assert.deepEqual(published, ['proxy']);
		const caddyfile = await readFile(join(DOCKER, 'Caddyfile'), 'utf8');
		const host = new URL(String(services.main?.environment?.N8N_WEBHOOK_URL)).host;
		assert.match(caddyfile, new RegExp(`^${host.replaceAll('.', '\\.')} \\{$`, 'm'));
		// The endpoints that n8n's main process leaves to webhook processes if
		// N8N_DISABLE_PRODUCTION_MAIN_PROCESS is set, by the names of their settings.
		const server = await readFile(join(N8N, 'dist/abstract-server.js'), 'utf8');
		const [, production = ''] = /if \(this\.webhooksEnabled\) \{([^]*?)\n {8}\}/.exec(server) ?? [];
		const settings = [...production.matchAll(/this\.endpoint(\w+)\}\//g)].map(([, name]) => name);
		const path = (name = '') =>
			name.replace(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
		const wanted = [...new Set(settings.map((name) => `/${path(name)}/*`))];
		const [, routed = ''] = /^\t@webhooks path (.*)$/m.exec(caddyfile) ?? [];
		assert.deepEqual(routed.split(' ').sort(), wanted.sort());
		const upstreams = [...caddyfile.matchAll(/(\w+)[: ]5678$/gm)].map(([, name]) => name);
		assert.deepEqual(upstreams, ['webhook', 'main']);
		for (const name of upstreams) assert.ok(services[String(name)], name);
	});

	// test/n8n/queueMode.test.mts starts them with this environment.
	test('compose.queue.yml: main, webhook process and worker are alike', async () => {
		const { services } = await compose('compose.queue.yml');
		const { main, webhook, worker } = services;
		assert.deepEqual(webhook?.environment, main?.environment);
		assert.deepEqual(worker?.environment, main?.environment);
		for (const service of [webhook, worker]) assert.deepEqual(service?.volumes, main?.volumes);
		assert.deepEqual([webhook?.command, worker?.command?.split(' ')[0]], ['webhook', 'worker']);
	});
});
