/**
 * n8n in Docker, by the Dockerfile, the compose files and the commands of the documentation. Needs
 * a Docker daemon, and its images or a network.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';

import { packedPackage } from '../../harness/n8n/n8n.mts';
import { until } from '../../harness/until.mts';
import { blocks, readPages } from '../docs/pages.mts';

const runFile = promisify(execFile);
const DOCKER = join(import.meta.dirname, '../../docs/docker');
const SETTINGS = [
	'N8N_ENCRYPTION_KEY=a-long-random-text',
	'GENERIC_TIMEZONE=Europe/Berlin',
	'RUNNERS_AUTH_TOKEN=another-one',
	'POSTGRES_PASSWORD=a-third-one',
];
const OUR_NODES = [
	'voiceAgent',
	'voiceAgentTool',
	'voiceAgentTrigger',
	'voiceAgentRecordingTrigger',
].map((name) => `n8n-nodes-voiceagent.${name}`);

/** Answers with the time zone of its Code node, which the runner executes. */
const ZONE_WORKFLOW = {
	id: 'zoneOfTheRunner1',
	name: 'Zone of the runner',
	active: false,
	nodes: [
		{
			id: 'webhook',
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			position: [0, 0],
			webhookId: 'zone',
			parameters: { path: 'zone', responseMode: 'lastNode' },
		},
		{
			id: 'code',
			name: 'Code',
			type: 'n8n-nodes-base.code',
			typeVersion: 2,
			position: [200, 0],
			parameters: { jsCode: 'return [{ json: { zone: $now.zoneName } }];' },
		},
	],
	connections: { Webhook: { main: [[{ node: 'Code', type: 'main', index: 0 }]] } },
	settings: { executionOrder: 'v1' },
};

const IN_BERLIN = JSON.stringify({ zone: 'Europe/Berlin' });
const NOT_PUBLISHED = /The requested webhook .* is not registered/;
/** n8n registers webhooks, and removes those that are not published, a while after it is ready. */
const zoneIsPublished = () => 'the webhook is still published';
const zoneIsMissing = () => 'the Code node does not answer with the time zone of the settings';

/** Why there is no Docker here, or false. */
async function missingDocker(): Promise<string | false> {
	try {
		await runFile('docker', ['info']);
		await runFile('docker', ['compose', 'version']);
		return false;
	} catch {
		return 'no Docker daemon, or no Docker Compose';
	}
}

/** A compose file of the documentation in a folder, with the package and the settings. */
class Deployment {
	readonly folder: string;
	readonly file: string;
	/** The service that has the editor. */
	readonly main: string;

	private constructor(folder: string, file: string, main: string) {
		this.folder = folder;
		this.file = file;
		this.main = main;
	}

	static async make(file: string, main: string): Promise<Deployment> {
		const folder = await mkdtemp(join(tmpdir(), 'voiceagent-compose-'));
		await cp(DOCKER, folder, { recursive: true });
		await copyFile(packedPackage(), join(folder, basename(packedPackage())));
		await writeFile(join(folder, '.env'), SETTINGS.join('\n'));
		return new Deployment(folder, file, main);
	}

	async shell(command: string): Promise<string> {
		return (await runFile('sh', ['-ec', command], { cwd: this.folder })).stdout.trim();
	}

	async compose(command: string): Promise<string> {
		return await this.shell(`docker compose -f ${this.file} ${command}`);
	}

	/** The commands of a page for this compose file that have this in them. */
	async asInThePage(path: string, part: string): Promise<void> {
		const pages = readPages([path]);
		const commands = pages.flatMap(blocks).filter(({ language }) => language === 'shell');
		const own = commands.filter(({ code }) => code.includes(this.file));
		const block = own.find(({ code }) => code.includes(part));
		assert.ok(block, part);
		await this.shell(block.code);
	}

	/** Until all containers work, as far as they have health checks, and n8n answers. */
	async ready(): Promise<void> {
		await until(
			async () => !/starting|unhealthy/i.test(await this.compose("ps --format '{{.Health}}'")),
			() => 'a container is not healthy',
		);
		const readiness = `exec -T ${this.main} wget -q -O /dev/null http://127.0.0.1:5678/healthz/readiness`;
		await until(
			async () => {
				await this.compose(readiness);
				return true;
			},
			() => 'n8n does not become ready',
		);
	}

	async publish(workflow: typeof ZONE_WORKFLOW): Promise<void> {
		await writeFile(join(this.folder, 'workflow.json'), JSON.stringify(workflow));
		await this.compose(`cp workflow.json ${this.main}:/tmp/workflow.json`);
		await this.compose(`exec -T ${this.main} n8n import:workflow --input=/tmp/workflow.json`);
		await this.compose(`exec -T ${this.main} n8n publish:workflow --id=${workflow.id}`);
		await this.compose('restart');
		await this.ready();
	}

	async remove(): Promise<void> {
		await this.compose('down --volumes --rmi local');
		await this.shell('sudo rm -rf archive');
		await rm(this.folder, { recursive: true, force: true });
	}
}

const skip = await missingDocker();

suite('n8n in Docker on one machine', { skip, concurrency: 1 }, () => {
	let docker: Deployment;
	before(async () => {
		docker = await Deployment.make('compose.folder.yml', 'n8n');
	});
	after(async () => await docker?.remove());

	/** The answer of the workflow, or n8n's error. */
	async function zone(): Promise<string> {
		return await (await fetch('http://127.0.0.1:5678/webhook/zone')).text();
	}

	test('the image is built, and its n8n has the package', async () => {
		await docker.asInThePage('docs/hosting.md', 'mkdir -p archive');
		await docker.ready();
		const types = [
			'n8n export:nodes --output=/tmp/nodes.json',
			'grep -o "n8n-nodes-voiceagent[.][a-zA-Z]*" /tmp/nodes.json',
		].join(' > /dev/null && ');
		const found = await docker.compose(`exec -T n8n sh -c '${types}'`);
		assert.deepEqual(new Set(found.split('\n')), new Set(OUR_NODES));
	});

	test('the runner executes Code nodes, with the time zone of the settings', async () => {
		await docker.publish(ZONE_WORKFLOW);
		await until(async () => (await zone()) === IN_BERLIN, zoneIsMissing);
	});

	test('a file in the archive is there after the container was replaced', async () => {
		await docker.asInThePage('docs/hosting.md', 'still-here');
	});

	test('a backup is restored, and nothing is published', async () => {
		await docker.ready();
		await docker.asInThePage('docs/restore.md', 'stop n8n');
		await docker.compose('down --volumes');
		await docker.asInThePage('docs/restore.md', 'create n8n');
		await docker.ready();
		const workflows = await docker.compose('exec -T n8n n8n list:workflow');
		assert.match(workflows, new RegExp(`^${ZONE_WORKFLOW.id}\\|`, 'm'));
		await until(async () => NOT_PUBLISHED.test(await zone()), zoneIsPublished);
	});
});

suite('n8n in Docker in queue mode', { skip, concurrency: 1 }, () => {
	let docker: Deployment;
	before(async () => {
		docker = await Deployment.make('compose.queue.yml', 'main');
		// The host name of the page is not ours, so nobody would give Caddy a certificate for it.
		const caddyfile = join(docker.folder, 'Caddyfile');
		await writeFile(caddyfile, `{\n\tlocal_certs\n}\n${await readFile(caddyfile, 'utf8')}`);
	});
	after(async () => await docker?.remove());

	/** The answer of the workflow, through the proxy. */
	async function zone(): Promise<string> {
		const toHere = '--resolve n8n.example.com:443:127.0.0.1 --insecure';
		return await docker.shell(`curl --silent ${toHere} https://n8n.example.com/webhook/zone`);
	}

	test('a webhook comes through the proxy, and the runner of the worker executes its code', async () => {
		await docker.asInThePage('docs/hosting.md', 'mkdir -p archive');
		await docker.ready();
		await docker.publish(ZONE_WORKFLOW);
		await until(async () => (await zone()) === IN_BERLIN, zoneIsMissing);
	});

	test('a dump is restored, and nothing is published', async () => {
		await docker.asInThePage('docs/restore.md', 'pg_dump');
		await docker.compose('down --volumes');
		await docker.asInThePage('docs/restore.md', 'pg_restore');
		await docker.ready();
		const workflows = await docker.compose('exec -T main n8n list:workflow');
		assert.match(workflows, new RegExp(`^${ZONE_WORKFLOW.id}\\|`, 'm'));
		await until(async () => NOT_PUBLISHED.test(await zone()), zoneIsPublished);
	});
});
