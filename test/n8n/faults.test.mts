/**
 * Faults that only the whole n8n shows, one after the other. At the end, everything that was
 * written meanwhile is searched for secrets.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { packedPackage, startN8n, type CredentialInput } from '../../harness/n8n/n8n.mts';
import { addService, byGuid, NODE, PASSWORD } from '../../harness/stack.mts';
import { s3Archive } from '../../harness/standIns/archives.mts';
import { filesBelow, findSecrets, linesOf, valuesIn, type Source } from '../../harness/secrets.mts';
import { proveInEachWay, WEBHOOK_SECRETS } from './faults/proofs.mts';
import { AUTHENTIC, PREVIOUS_PASSWORD, SECRETS, startScene, type Scene } from './faults/scene.mts';
import { until } from '../../harness/until.mts';
import { DAY } from './workflows/sweepSetup.mts';

const LIST = '/api/customer/recordings';

/** What takes long is left to `npm run test:faults`. */
const isAll = process.env.VOICEAGENT_FAULTS === 'all';
const skipLong = !isAll && 'takes long: see `npm run test:faults`';
const FLOOD = isAll ? 1_000 : 50;
/** Nearly the most that a WAV file can have. */
const LARGE_BYTES = isAll ? 4 * 2 ** 30 - 1_000 : 400_000_000;
const LARGE_MB = Math.round(LARGE_BYTES / 1e6);
const CONNECTIONS = 50;
/** How many webhooks of the flood are never sent. */
const LOST = FLOOD / 50;

suite('faults in a real n8n', { concurrency: 1, skip: process.platform === 'win32' }, () => {
	let scene: Scene;
	before(async () => void (scene = await startScene()));
	after(async () => await scene?.close());

	/**
	 * Stores recordings whose calls ended a day ago. They are short, because the emulator needs time
	 * to make a long one.
	 */
	async function waiting(count: number): Promise<string[]> {
		const { control } = scene;
		const guids: string[] = [];
		while (guids.length < count) {
			const endedAt = new Date(control.now() - DAY).toISOString();
			guids.push((await control.addRecording({ endedAt, durationSeconds: 1 })).sessionGuid);
		}
		return guids;
	}

	test('a recording from before the password was changed is archived [fault 51]', async () => {
		const guid = await scene.setup.waiting(1, PREVIOUS_PASSWORD);
		await scene.control.sendCallEnd(guid);
		await scene.succeeds(guid);
		await scene.assertArchived([guid]);
	});

	test('addresses in a webhook are ignored [fault 19] [security 1]', async () => {
		const { control, trap } = scene;
		const sessionGuid = await scene.setup.waiting(1);
		const { url } = trap;
		const hostile = { url, baseUrl: url, recordingUrl: `${url}/${sessionGuid}`, callback: url };
		await control.sendCallEnd(sessionGuid, { event: 'CallEnd', sessionGuid, ...hostile });
		await scene.succeeds(sessionGuid);
		await scene.assertArchived([sessionGuid]);
		assert.deepEqual(trap.requests, []);
	});

	test('executions fail if the service repeats the key, or no longer takes it [faults 42, 51]', async () => {
		const { control } = scene;
		const [echoed = '', refused = ''] = await waiting(2);
		control.addFault({ times: 'always', fault: { kind: 'echoToken', status: 500 } });
		await control.sendCallEnd(echoed);
		await scene.fails(echoed, /failed to process the request/);
		control.clearFaults();
		const keys = control.apiKeys();
		control.setApiKeys([{ key: 'another-key', permissions: [] }]);
		await control.sendCallEnd(refused);
		await scene.fails(refused, /does not accept the API key/);
		control.setApiKeys(keys);
	});

	test('forged and broken webhooks start nothing and request nothing [faults 32, 33, 39] [security 5]', async () => {
		const { control } = scene;
		const started = await scene.started();
		control.clearLogs();
		const good = JSON.stringify({ sessionGuid: crypto.randomUUID() });
		for (const [headers, body, status] of [
			[{}, good, 401],
			[{ 'X-Webhook-Secret': SECRETS.webhookSecret.slice(1) }, good, 401],
			// What has no session GUID at all is taken for a test of the address.
			[AUTHENTIC, '{"sessionGuid":null}', 200],
			[AUTHENTIC, '[]', 200],
			[AUTHENTIC, '{"sessionGuid":"abc"}', 400],
			[AUTHENTIC, '{"__proto__":{"sessionGuid":"abcdefg1"}}', 400],
			[AUTHENTIC, '{"sessionGuid":', 422],
		] as const) {
			const answer = await fetch(String(control.webhooks().callEnd), {
				method: 'POST',
				headers: { 'content-type': 'application/json', ...headers },
				body,
			});
			assert.equal(answer.status, status, body);
		}
		assert.equal(await scene.started(), started);
		// The notices of the failures before may come late: they look at the list.
		const requests = control.requests().map(({ path }) => path);
		assert.deepEqual(new Set([...requests, LIST]), new Set([LIST]));
	});

	test('webhooks are checked by a secret in the query, and by signatures [fault 39]', async () => {
		await proveInEachWay(scene.setup.n8n);
	});

	test(`${LARGE_MB} MB are archived in pieces, with much less memory [fault 27] [promise 5]`, async (t) => {
		// The disk of the scene is small.
		const n8n = isAll ? await startN8n({ packages: [packedPackage()] }) : scene.setup.n8n;
		if (isAll) t.after(async () => await n8n.stop());
		// Not in the way of the sweeps.
		const service = await addService(n8n);
		t.after(async () => await service.stop());
		const s3 = await s3Archive();
		t.after(async () => await s3.close());
		const aws = await n8n.createCredential(s3.credentials[0] as CredentialInput);
		const steps = s3
			.configured()
			.nodes.filter(({ name }) => /^(?:Download|Upload|Read)/.test(name));
		const archive = async (sizeBytes: number) => {
			const recording = { format: 'wav', sizeBytes, password: PASSWORD } as const;
			const { control } = service.emulator;
			const { sessionGuid, plainSha256 } = await control.addRecording(recording);
			const execution = await service.runNode({
				before: steps,
				parameters: { resource: 'recording', operation: 'delete', recording: byGuid(sessionGuid) },
				items: [{ sessionGuid }],
				credentials: { aws },
				timeoutMs: 3_600_000,
			});
			const [item] = execution.items(NODE);
			assert.equal(item?.json.sha256, plainSha256, execution.error?.message);
		};
		// What n8n loads the first time, it keeps.
		await archive(1_000_000);
		const before = n8n.memory().rssBytes;
		if (!n8n.resetPeakMemory()) return t.skip('the peak cannot be measured here');
		await archive(LARGE_BYTES);
		const growth = Number(n8n.memory().peakRssBytes) - before;
		t.diagnostic(`${Math.round(growth / 1e6)} MB`);
		assert.ok(growth < 200_000_000, `${growth} bytes`);
	});

	for (const whose of ['n8n', 'the archive'] as const) {
		test(`with a full disk of ${whose}, nothing is deleted, and a sweep archives later [fault 26]`, async (t) => {
			const disk = scene.disks[whose];
			if (disk === undefined) return t.skip('a disk of its own cannot be mounted here');
			const guid = await scene.setup.waiting(1, SECRETS.password);
			scene.control.clearLogs();
			disk.fill();
			try {
				await scene.control.sendCallEnd(guid);
				await scene.fails(guid, /no space left|ENOSPC/i);
				assert.equal(scene.deletes(), 0);
			} finally {
				disk.free();
			}
			await scene.sweep();
			await scene.assertArchived([guid]);
		});
	}

	test(`${FLOOD} calls that end at once are archived, over ${CONNECTIONS} connections [fault 28]`, async () => {
		const guids = await waiting(FLOOD);
		const lost = guids.slice(0, LOST);
		const toSend = guids.slice(LOST);
		const connection = async () => {
			for (let guid = toSend.pop(); guid !== undefined; guid = toSend.pop()) {
				await scene.control.sendCallEnd(guid);
			}
		};
		await Promise.all(Array.from({ length: CONNECTIONS }, connection));
		await scene.settled(guids.slice(LOST));
		assert.deepEqual(lost.filter(scene.isStored), lost);
		await scene.sweep();
		await scene.assertArchived(guids, 2);
	});

	test(
		'two n8n with one account and one archive archive all [fault 50]',
		{ skip: skipLong },
		async () => {
			const guids = await waiting(12);
			const second = await scene.secondN8n();
			try {
				const webhooks = guids.slice(6).map(async (guid) => await scene.control.sendCallEnd(guid));
				await Promise.allSettled([scene.sweep(), second.sweep(), ...webhooks]);
				await scene.settled(guids);
			} finally {
				await second.stop();
			}
			await scene.assertArchived(guids, 3);
		},
	);

	test('after two days down, all calls are archived, the oldest first [faults 46, 47]', async () => {
		const { control, setup } = scene;
		await control.advanceClock(-2 * DAY);
		const cut = await setup.waiting(4);
		const match = { endpoint: 'downloadRecording', sessionGuid: cut } as const;
		control.addFault({ match, fault: { kind: 'silent', afterBytes: 1000 } });
		control.clearLogs();
		await control.sendCallEnd(cut);
		await until(() => setup.downloads().includes(cut));
		const start = await scene.kill();
		const missed: string[] = [];
		for (let hours = 0; hours < 48; hours += 12) {
			const { sessionGuid } = await control.addRecording({ password: SECRETS.password });
			const { status } = await control.sendCallEnd(sessionGuid);
			assert.equal(status, null, 'n8n is down');
			missed.push(sessionGuid);
			await control.advanceClock(DAY / 2);
		}
		await start();
		control.clearLogs();
		await scene.sweep();
		assert.deepEqual(setup.downloads(), [cut, ...missed]);
		await scene.assertArchived([cut, ...missed]);
	});

	test('no secret is in what was written meanwhile [fault 41] [security 2]', async () => {
		const guid = await scene.setup.waiting(1);
		await scene.control.sendCallEnd(guid);
		await scene.succeeds(guid);
		await scene.stop();
		// The executions and the ledger are in the database.
		const sources: Array<[name: string, make: () => AsyncIterable<Source> | Iterable<Source>]> = [
			['database', () => valuesIn(join(scene.userFolder, '.n8n', 'database.sqlite'))],
			['files of n8n', () => filesBelow(scene.userFolder)],
			['archive', () => filesBelow(scene.folder)],
			['log', () => [linesOf('log', scene.log)]],
			['notices', () => [linesOf('notices', scene.setup.notices)]],
			['other hosts', () => [linesOf('other hosts', scene.trap.requests)]],
		];
		const wanted = { ...SECRETS, ...WEBHOOK_SECRETS, previousPassword: PREVIOUS_PASSWORD, guid };
		const found: string[] = [];
		for (const [name, make] of sources) {
			for (const { secret } of await findSecrets(wanted, make()))
				found.push(`${secret} in ${name}`);
		}
		// The same search finds what does lie there.
		assert.deepEqual(
			[...new Set(found)],
			['database', 'files of n8n', 'archive'].map((name) => `guid in ${name}`),
		);
	});
});
