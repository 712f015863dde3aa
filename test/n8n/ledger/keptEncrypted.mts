/**
 * An archive that keeps recordings encrypted: what one setting of an archive workflow brings, and
 * what somebody finds there without n8n.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { rowOf } from '../../../harness/ledger.mts';
import type { Row, Workflow } from '../../../harness/n8n/n8n.mts';
import { pageWorkflow, VIEWER, viewerAuthorization } from '../../../harness/pages.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { type Archive, folderArchive, sftpArchive } from '../../../harness/standIns/archives.mts';
import { startS3, type S3 } from '../../../harness/standIns/s3.mts';
import { missingOpenSsh } from '../../../harness/standIns/sftp.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow, withLedger } from '../../../harness/workflows.mts';
import { unzip } from '../../../harness/zip.mts';
import { CALL_END, publishArchive } from '../archived.mts';
import { ledgerOf, serviceOf, succeeded, type Host } from '../suite.mts';

const stores = {
	Folder: async (parent: string) => await folderArchive(parent),
	SFTP: sftpArchive,
};

/** The reason to skip a test that needs the programs, or false. */
function missingPrograms(...programs: string[]): string | false {
	const missing = programs.filter((name) => spawnSync(name, ['--version']).error !== undefined);
	return missing.length > 0 && `missing here: ${missing.join(', ')}`;
}

export function keptEncryptedSuite(getHost: () => Host): void {
	for (const name of ['Folder', 'SFTP'] as const) {
		const skip = name === 'SFTP' && missingOpenSsh();
		suite(`kept encrypted: ${name}`, { concurrency: 1, skip }, () => storeTests(name, getHost));
	}
}

function storeTests(name: keyof typeof stores, getHost: () => Host): void {
	const stack = serviceOf(() => getHost().n8n);
	const ledger = ledgerOf(() => getHost().n8n);
	let archive: Archive;
	let archiveId: string;
	const sealed: Row[] = [];
	let plain: Row;

	before(async () => {
		archive = await stores[name](getHost().folder);
		const workflow = withLedger(archive.configured());
		nodeOf(workflow, 'Download recording').parameters.decrypt = 'never';
		archiveId = await publishArchive(stack, workflow, archive.credentials);
	});
	after(async () => {
		await stack.n8n.deactivate(archiveId);
		await archive.close();
	});

	/** Lets the workflow archive a recording, and returns its row in the ledger. */
	async function archived(password?: string): Promise<Row> {
		const { control } = stack.emulator;
		const { sessionGuid } = await control.addRecording({ to: '+15550100', password });
		await control.sendCallEnd(sessionGuid);
		const query = { workflowId: archiveId, trigger: CALL_END, sessionGuid, count: 1 };
		succeeded((await executionsFor(stack.n8n, query))[0]);
		return await rowOf(ledger, sessionGuid, (row) => row.status === 'archived');
	}

	const fileOf = async (sessionGuid: unknown, isWanted: (name: string) => boolean) => {
		const files = (await archive.files()).filter(
			(file) => file.name.includes(String(sessionGuid)) && isWanted(file.name),
		);
		assert.equal(files.length, 1, files.map((file) => file.name).join());
		return files[0] as (typeof files)[number];
	};
	interface Metadata {
		file: { fileName: string; sha256: string; plainSha256?: string; verified: boolean };
	}
	const metadataOf = async (sessionGuid: unknown) =>
		JSON.parse(
			String((await fileOf(sessionGuid, (one) => one.endsWith('.json'))).content),
		) as Metadata;

	test('one setting of the archive workflow: archived, noted, and deleted with proof', async () => {
		for (const _call of [1, 2]) sealed.push(await archived(PASSWORD));
		for (const row of sealed) {
			const { storedSha256, plainSha256, state } = stack.ledger(String(row.sessionGuid));
			const { content } = await fileOf(row.sessionGuid, (one) => one.endsWith('.enc'));
			assert.deepEqual([sha256(content), state], [storedSha256, 'deleted']);
			assert.deepEqual([row.sha256, row.bytes, row.deleted], [storedSha256, content.length, true]);
			const { file } = await metadataOf(row.sessionGuid);
			assert.deepEqual(
				[file.sha256, file.plainSha256, file.verified],
				[storedSha256, plainSha256, true],
			);
		}
	});

	test('a recording that the service has not encrypted is archived beside them', async () => {
		plain = await archived();
		const { sessionGuid, sha256: noted } = plain;
		const { plainSha256, state } = stack.ledger(String(sessionGuid));
		assert.deepEqual([noted, state], [plainSha256, 'deleted']);
		const { file } = await metadataOf(sessionGuid);
		assert.deepEqual([file.sha256, 'plainSha256' in file], [plainSha256, false]);
	});

	/**
	 * Publishes find-a-call below another path than that of other suites.
	 *
	 * @returns what opens a page, or what play-a-call sends
	 */
	async function published(path: string, change: (workflow: Workflow) => void) {
		const workflow = pageWorkflow('find-a-call');
		for (const node of workflow.nodes) {
			if (node.type.endsWith('.ftp')) node.disabled = name !== 'SFTP';
			if (!node.type.endsWith('.webhook')) continue;
			node.parameters.path = String(node.parameters.path).replace('voiceagent', path);
		}
		change(workflow);
		const viewer = { name: 'Viewer', type: 'httpBasicAuth', data: VIEWER };
		const httpBasicAuth = await stack.n8n.createCredential(viewer);
		const all = { ...stack.credentials, httpBasicAuth };
		const id = await stack.n8n.importWorkflow(workflow, all);
		await stack.n8n.activate(id);
		after(async () => await stack.n8n.deactivate(id));
		return async (page: string, headers: Record<string, string> = {}) => {
			const answer = await fetch(`${stack.n8n.url}/webhook/${path}/${page}`, { headers });
			return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
		};
	}
	const authorization = viewerAuthorization();
	type Get = Awaited<ReturnType<typeof published>>;
	async function player(get: Get, { recordingKey }: Row): Promise<string> {
		const { bytes } = await get(`find-a-call?call=${String(recordingKey)}`, { authorization });
		return /<audio [^>]*src="([^"]+)"/.exec(String(bytes))?.[1] ?? assert.fail(String(bytes));
	}

	test('find-a-call plays it, and packs it: it is decrypted on the way', async () => {
		const get = await published(`sealed-${name}`, (workflow) => {
			nodeOf(workflow, 'Decrypt the recording').disabled = false;
		});
		const [row = {}] = sealed;
		const { plainSha256, storedSha256 } = stack.ledger(String(row.sessionGuid));
		const page = await player(get, row);
		const whole = await get(page);
		assert.equal(sha256(whole.bytes), plainSha256, String(whole.bytes).slice(0, 200));
		assert.equal(whole.answer.headers.get('content-type'), 'audio/ogg');
		const part = await get(page, { range: 'bytes=100-199' });
		assert.equal(part.answer.status, 206);
		assert.ok(part.bytes.equals(whole.bytes.subarray(100, 200)));
		const download = await get(`${page}&download=1`);
		assert.match(String(download.answer.headers.get('content-disposition')), /\.opus$/);
		const { 'index.html': about, ...files } = unzip((await get(`${page}&package=1`)).bytes);
		const packed = Object.entries(files).find(([one]) => one.endsWith('.opus'));
		assert.equal(sha256(packed?.[1] ?? ''), plainSha256);
		assert.match(String(about), /<p>Whole: the archive keeps it encrypted[^<]*opened[^<]*\.<\/p>/);
		assert.ok(String(files['ledger.json']).includes(storedSha256));
		// The plain recording beside it needs no password.
		const other = await get(await player(get, plain), { range: 'bytes=0-99' });
		assert.equal(other.answer.status, 206, String(other.bytes));
		const wrong = await get(page.replace(/.$/, '-'));
		assert.equal(wrong.answer.status, 403);
	});

	test('find-a-call as imported does not decrypt, and says so', async () => {
		const get = await published(`still-sealed-${name}`, () => undefined);
		const [row = {}] = sealed;
		const page = await player(get, row);
		const { answer, bytes } = await get(page, { range: 'bytes=0-' });
		assert.equal(answer.status, 404);
		assert.match(String(bytes), /^It is kept encrypted\. Activate 'Decrypt the recording'/);
		const { storedSha256 } = stack.ledger(String(row.sessionGuid));
		assert.equal(sha256((await get(`${page}&download=1`)).bytes), storedSha256);
	});

	/** Where the archive begins. */
	async function rootFolder(): Promise<string> {
		const { file } = await metadataOf(sealed[0]?.sessionGuid);
		const path = String(sealed[0]?.file);
		assert.ok(path.endsWith(`/${file.fileName}`), path);
		return path.slice(0, -file.fileName.length - 1);
	}

	const programs = ['jq', 'rclone', 'sha256sum'];
	test(
		'the whole archive is checked without n8n',
		{ skip: missingPrograms(...programs) },
		async () => {
			const page = await readFile('docs/customizing.md', 'utf8');
			const commands = [...page.matchAll(/```shell\n([^`]*SHA256SUMS[^`]*)```/g)].map(
				([, command]) => String(command),
			);
			assert.equal(commands.length, 2);
			const [inFolder = '', byRclone = ''] = commands;
			const folder = await rootFolder();
			const run = async () => {
				const away = await mkdtemp(join(tmpdir(), 'voiceagent-auditor-'));
				const env = { ...process.env, ...remoteOf(archive), HOME: away };
				const atRemote = byRclone.replaceAll('remote:folder', `'remote:${folder}'`);
				const ended = [
					spawnSync('sh', ['-e', '-c', atRemote], { cwd: away, env, encoding: 'utf8' }),
					spawnSync('sh', ['-e', '-c', inFolder], { cwd: folder, encoding: 'utf8' }),
				];
				await rm(away, { recursive: true });
				await rm(join(folder, 'SHA256SUMS'));
				return ended;
			};
			for (const { status, stdout, stderr } of await run()) {
				assert.equal(status, 0, `${stdout}${stderr}`);
				assert.match(`${stdout}${stderr}`, /3 matching files|(?:.*: OK\n){3}/);
			}
			const { file } = await metadataOf(sealed[1]?.sessionGuid);
			await appendFile(join(folder, file.fileName), 'x');
			for (const { status, stdout, stderr } of await run()) {
				assert.equal(status, 1);
				assert.match(`${stdout}${stderr}`, /files differ|: FAILED$/m);
			}
		},
	);

	test('verify-archive checks the bytes of the stored files', async () => {
		const folder = await rootFolder();
		const { file } = await metadataOf(sealed[1]?.sessionGuid);
		await appendFile(join(folder, file.fileName), 'y');
		const workflow = readWorkflow('verify-archive');
		for (const node of workflow.nodes) {
			node.disabled = / Google Drive$| S3$/.test(node.name);
		}
		const id = await stack.n8n.importWorkflow(workflow, stack.credentials);
		const { error } = await stack.n8n.run(id, { trigger: 'Every night' });
		assert.match(String(error?.message), /^\S[^\n]* is altered \(call [^\n]*\)$/);
		const said = (await ledger.rows()).map(({ verification }) => verification);
		assert.deepEqual(said.sort(), ['altered', 'whole', 'whole']);
	});

	if (name !== 'Folder') return;
	// The metadata in the folder names no folders, so its files can be copied as they are.
	test('rclone checks it in S3 too', { skip: missingPrograms('jq', 'rclone') }, async () => {
		const s3 = await startS3('calls');
		const away = await mkdtemp(join(tmpdir(), 'voiceagent-auditor-'));
		try {
			for (const { name, content } of await archive.files()) await s3.put(`2026/${name}`, content);
			const page = await readFile('docs/customizing.md', 'utf8');
			const [, command = ''] = /```shell\n(rclone copy[^`]*)```/.exec(page) ?? [];
			const atRemote = command.replaceAll('remote:folder', 'remote:calls/2026');
			const env = { ...process.env, ...s3RemoteOf(s3), HOME: away };
			// The storage is in this process, which must not wait meanwhile.
			const rclone = spawn('sh', ['-e', '-c', atRemote], { cwd: away, env });
			let said = '';
			for (const output of [rclone.stdout, rclone.stderr]) {
				output.on('data', (chunk: Buffer) => (said += chunk.toString()));
			}
			// The tests before this one have altered a file of the archive.
			assert.deepEqual(await once(rclone, 'close'), [1, null], said);
			assert.match(said, /2 matching files/);
			assert.match(said, /1 differences found/);
		} finally {
			await rm(away, { recursive: true });
			await s3.close();
		}
	});
}

/** What rclone has to know about a remote that leads to the archive. */
function remoteOf({ credentials: [credential] }: Archive): Record<string, string> {
	if (credential === undefined) return { RCLONE_CONFIG_REMOTE_TYPE: 'local' };
	const { host, port, username, privateKey } = credential.data as Record<string, unknown>;
	return {
		RCLONE_CONFIG_REMOTE_TYPE: 'sftp',
		RCLONE_CONFIG_REMOTE_HOST: String(host),
		RCLONE_CONFIG_REMOTE_PORT: String(port),
		RCLONE_CONFIG_REMOTE_USER: String(username),
		RCLONE_CONFIG_REMOTE_KEY_PEM: String(privateKey).replaceAll('\n', '\\n'),
		// The server lets nobody run a command.
		RCLONE_CONFIG_REMOTE_SHELL_TYPE: 'none',
	};
}

/** What rclone has to know about a remote that leads to S3-compatible storage. */
function s3RemoteOf({ url, credential }: S3): Record<string, string> {
	const { accessKeyId, secretAccessKey } = credential.data as Record<string, string>;
	return {
		RCLONE_CONFIG_REMOTE_TYPE: 's3',
		RCLONE_CONFIG_REMOTE_PROVIDER: 'Other',
		RCLONE_CONFIG_REMOTE_ENDPOINT: new URL(url).origin,
		RCLONE_CONFIG_REMOTE_ACCESS_KEY_ID: String(accessKeyId),
		RCLONE_CONFIG_REMOTE_SECRET_ACCESS_KEY: String(secretAccessKey),
		// rclone refuses to start with one.
		AWS_CA_BUNDLE: '',
	};
}
