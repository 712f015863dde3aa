/** Installing the package from a tarball, and n8n in Docker. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startN8n } from '../../../harness/n8n/n8n.mts';
import { parseYaml } from '../../../harness/yaml.mts';
import { copy, succeeds } from '../copy.mts';
import type { Entry } from '../entry.mts';
import { ROOT } from '../pages.mts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	version: string;
};
const TARBALL = `n8n-nodes-voiceagent-${version}.tgz`;
const folderFile = 'compose.folder.yml';
const queueFile = 'compose.queue.yml';
const folder = `docker compose -f ${folderFile}`;
const listChecksums = `find . -name '*.json' -exec jq -r 'select(.file.sha256?) | .file.sha256 + "  " + .file.fileName' {} + > SHA256SUMS`;
const run = `docker compose -f ${queueFile} run --rm --no-deps`;

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
			const nodeInfos = [{ name: 'n8n-nodes-voiceagent.voiceAgent', version: 1 }];
			const [type] = await n8n.rest<{ displayName: string }[]>('POST', '/rest/node-types', {
				nodeInfos,
			});
			assert.equal(type?.displayName, 'VoiceAgent');
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
	docker(
		`mkdir -p archive\nsudo chown 1000 archive\n${folder} up -d\n${folder} cp ${TARBALL} n8n:/tmp/\n` +
			`${folder} exec n8n npm install --prefix /home/node/.n8n/nodes --legacy-peer-deps --ignore-scripts /tmp/${TARBALL}\n` +
			`${folder} restart n8n`,
	),
	docker(
		`mkdir -p archive\ncp ${TARBALL} archive/\nsudo chown -R 1000 archive\n` +
			`${run} --user root --entrypoint chown main -R node /home/node/.n8n /storage\n` +
			`${run} --workdir /home/node/.n8n/nodes --entrypoint npm main install --legacy-peer-deps --ignore-scripts /archive/${TARBALL}\n` +
			`docker compose -f ${queueFile} up -d`,
	),
	docker(
		`${folder} exec n8n touch /archive/still-here\n${folder} down\n${folder} up -d\n` +
			`${folder} exec n8n ls /archive/still-here`,
	),
	docker(`docker compose -f ${queueFile} up -d --force-recreate main webhook worker`),
	docker(
		`${run} --workdir /home/node/.n8n/nodes --entrypoint npm main uninstall n8n-nodes-voiceagent`,
	),
];

/**
 * Only checks that the files and services exist which the command names, so it needs no Docker. The
 * stage `n8n` runs n8n with the settings of these files.
 */
function docker(command: string): Entry {
	return {
		command,
		run() {
			for (const line of command.split('\n').filter((one) => one.startsWith('docker'))) {
				const [, file = ''] = / -f (\S+)/.exec(line) ?? [];
				const text = readFileSync(join(ROOT, 'docs/docker', file), 'utf8');
				const { services } = parseYaml(text) as { services: object };
				const named = line.match(/(?<= )(?:main|webhook|worker|n8n)(?=[ =:]|$)/g) ?? [];
				for (const service of named) assert.ok(service in services, service);
			}
		},
	};
}
