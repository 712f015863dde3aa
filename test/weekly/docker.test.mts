/**
 * n8n in Docker, by the Dockerfile, the compose file and the commands of the documentation. Needs a
 * Docker daemon and a network.
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

const runFile = promisify(execFile);
const DOCS = join(import.meta.dirname, '../../docs');
const SETTINGS = [
	'N8N_ENCRYPTION_KEY=a-long-random-text',
	'GENERIC_TIMEZONE=Europe/Berlin',
	'RUNNERS_AUTH_TOKEN=another-one',
];

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

suite('n8n in Docker', { skip: await missingDocker(), concurrency: 1 }, () => {
	let folder: string;
	const shell = async (command: string) =>
		(await runFile('sh', ['-ec', command], { cwd: folder })).stdout;
	/** The commands of the page that have this in them. */
	const asInThePage = async (part: string) => {
		const page = await readFile(join(DOCS, 'hosting.md'), 'utf8');
		const blocks = [...page.matchAll(/^```shell\n([^`]+)```$/gm)].map(([, block = '']) => block);
		const block = blocks.find((one) => one.includes(part));
		assert.ok(block, part);
		return await shell(block);
	};
	const isReady = async () =>
		await fetch('http://127.0.0.1:5678/healthz/readiness')
			.then(({ ok }) => ok)
			.catch(() => false);

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-compose-'));
		await cp(join(DOCS, 'docker'), folder, { recursive: true });
		await copyFile(packedPackage(), join(folder, basename(packedPackage())));
		await writeFile(join(folder, '.env'), SETTINGS.join('\n'));
	});
	after(async () => {
		if (!folder) return;
		await shell('docker compose -f compose.folder.yml down --volumes --rmi local');
		await shell('sudo rm -rf archive');
		await rm(folder, { recursive: true, force: true });
	});

	test('the image is built, and its n8n has the package', async () => {
		await asInThePage('up -d --build');
		await until(isReady, () => 'n8n does not become ready');
		const exported = 'n8n export:nodes --output=/tmp/nodes.json && cat /tmp/nodes.json';
		const types = await shell(
			`docker compose -f compose.folder.yml exec -T n8n sh -c '${exported}'`,
		);
		assert.ok(types.includes('n8n-nodes-voiceagent'), types.slice(0, 1000));
	});

	test('a file in the archive is there after the container was replaced', async () => {
		await asInThePage('still-here');
	});
});
