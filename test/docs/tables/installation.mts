/** Installing the package from a tarball, and n8n in Docker. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { startN8n, type N8n } from '../../../harness/n8n/n8n.mts';
import { parseYaml } from '../../../harness/yaml.mts';
import { copy, succeeds } from '../copy.mts';
import type { Entry } from '../entry.mts';
import { ROOT } from '../pages.mts';
import { restorePage } from '../restorePage.mts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	version: string;
};
const TARBALL = `n8n-nodes-voiceagent-${version}.tgz`;
const folderFile = 'compose.folder.yml';
const queueFile = 'compose.queue.yml';
const folder = `docker compose -f ${folderFile}`;
const listChecksums = `find . -name '*.json' -exec jq -r 'select(.file.sha256?) | .file.sha256 + "  " + .file.fileName' {} + > SHA256SUMS`;

export const installation: Entry[] = [
	{
		command: 'npm install && npm run build && npm pack',
		folder: '.',
		async run() {
			// The copy has what is installed here. CI installs it anew on three systems.
			await succeeds(this.command.replace('npm install && ', ''));
			assert.ok(existsSync(join(copy.root, TARBALL)));
		},
	},
	{
		command: `mkdir -p ~/.n8n/nodes\nnpm install --prefix ~/.n8n/nodes --legacy-peer-deps --ignore-scripts ./${TARBALL}`,
		folder: '.',
		async run(context) {
			const home = mkdtempSync(join(tmpdir(), 'voiceagent-home-'));
			context.after(() => rmSync(home, { recursive: true, force: true }));
			await succeeds('npm pack');
			await succeeds(this.command, { env: { HOME: home } });
			const modules = join(home, '.n8n/nodes/node_modules');
			// n8n has its own: a second one would take half a minute, for nothing.
			assert.ok(!existsSync(join(modules, 'n8n-workflow')));
			const n8n = await startN8n({ userFolder: home });
			context.after(async () => await n8n.stop());
			await hasPackage(n8n);
		},
	},
	{
		command: `${listChecksums}\nsha256sum -c SHA256SUMS`,
		// test/n8n/ledger/keptEncrypted.mts runs it in an archive.
		run: () => undefined,
	},
	{
		command: `rclone copy --include '*.json' remote:folder metadata\ncd metadata\n${listChecksums}\nrclone checksum --one-way --download sha256 SHA256SUMS remote:folder`,
		// So does it with this one, with the real rclone.
		run: () => undefined,
	},
	{
		command: `mkdir -p archive\nsudo chown 1000 archive\n${folder} up -d --build`,
		async run(context) {
			namesWhatThereIs(this.command);
			await buildsAsInDockerfile(context);
		},
	},
	docker(
		`docker cp ${TARBALL} n8n:/tmp/\n` +
			`docker exec n8n npm install --prefix /home/node/.n8n/nodes --legacy-peer-deps --ignore-scripts /tmp/${TARBALL}\n` +
			`docker restart n8n`,
	),
	docker(
		`mkdir -p archive\nsudo chown 1000 archive\n` + `docker compose -f ${queueFile} up -d --build`,
	),
	docker(
		`${folder} exec n8n touch /archive/still-here\n${folder} down\n${folder} up -d\n` +
			`${folder} exec n8n ls /archive/still-here`,
	),
	docker(`${folder} up -d --build`),
	...restorePage.docker.map(docker),
	// test/n8n/restore.test.mts runs these.
	...restorePage.drill.map((command) => ({ command, run: () => undefined })),
];

/** The stage `n8n` runs n8n with the settings of these files, and CI with Docker. */
function docker(command: string): Entry {
	return {
		command,
		run: () => namesWhatThereIs(command),
	};
}

/** The files and services exist that a command names. That needs no Docker. */
function namesWhatThereIs(command: string): void {
	for (const line of command.split('\n').filter((one) => one.startsWith('docker compose'))) {
		const [, file = ''] = / -f (\S+)/.exec(line) ?? [];
		const text = readFileSync(join(ROOT, 'docs/docker', file), 'utf8');
		const { services } = parseYaml(text) as { services: object };
		// Behind `exec` and its service stands what the container runs.
		const [ofCompose = ''] = line.split(/(?<= exec -T \S+ )/);
		const named = ofCompose.match(/(?<= )(?:main|webhook|worker|n8n|postgres)(?=[ =:]|$)/g) ?? [];
		for (const service of named) assert.ok(service in services, service);
	}
}

/** What the Dockerfile runs installs the package where n8n finds it, and downloads nothing. */
async function buildsAsInDockerfile(context: TestContext): Promise<void> {
	const home = mkdtempSync(join(tmpdir(), 'voiceagent-image-'));
	context.after(() => rmSync(home, { recursive: true, force: true }));
	await succeeds('npm pack');
	const dockerfile = readFileSync(join(ROOT, 'docs/docker/Dockerfile'), 'utf8');
	const [, from = '', to = ''] = /^COPY (\S+) (\S+)$/m.exec(dockerfile) ?? [];
	const [, command = ''] = /^RUN (.+)$/m.exec(dockerfile) ?? [];
	assert.ok(command.includes('/home/node') && command.includes(to));
	const inHome = command.replaceAll('/home/node', home).replaceAll(to, join(home, 'package.tgz'));
	await succeeds(`cp ${from} ${home}/package.tgz && ${inHome}`, {
		env: { npm_config_offline: 'true' },
	});
	const n8n = await startN8n({ userFolder: home });
	context.after(async () => await n8n.stop());
	await hasPackage(n8n);
}

async function hasPackage(n8n: N8n): Promise<void> {
	const nodeInfos = [{ name: 'n8n-nodes-voiceagent.voiceAgent', version: 1 }];
	const [type] = await n8n.rest<{ displayName: string }[]>('POST', '/rest/node-types', {
		nodeInfos,
	});
	assert.equal(type?.displayName, 'VoiceAgent');
}
