/** A service with https, as every real one: with certificates of an authority that only NODE_EXTRA_CA_CERTS names. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { createEmulator, type Emulator } from '../../emulator/src/index.mts';
import { executionsFor } from '../../harness/executions.mts';
import { packedPackage, startN8n, type N8n } from '../../harness/n8n/n8n.mts';
import {
	API_KEY,
	createCredentials,
	ledgerEntry,
	PASSWORD,
	WEBHOOK_HEADER,
	WEBHOOK_SECRET,
	type Credentials,
} from '../../harness/serviceAccess.mts';
import { folderArchive, type FolderArchive } from '../../harness/standIns/archives.mts';

const TRIGGER = 'When a call ends';

/** Services by what is wrong with their certificates. n8n knows the authorities of all but the last two. */
const kinds = {
	valid: 'valid',
	expired: 'expired',
	wrongName: 'wrongName',
	unknownAuthority: 'valid',
	selfSigned: 'selfSigned',
} as const;

suite('https', () => {
	let folder: string;
	let archive: FolderArchive;
	let n8n: N8n;
	let credentials: Credentials;
	const services = new Map<keyof typeof kinds, Emulator>();
	const service = (name: keyof typeof kinds) => services.get(name) as Emulator;

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-https-'));
		archive = await folderArchive(folder);
		for (const [name, certificate] of Object.entries(kinds)) {
			const secret = { in: 'header', name: WEBHOOK_HEADER, value: WEBHOOK_SECRET } as const;
			const emulator = await createEmulator({
				callSpeed: 50,
				https: { certificate },
				webhookDelivery: { secret },
			});
			services.set(name as keyof typeof kinds, emulator);
		}
		const known = (['valid', 'expired', 'wrongName'] as const).map((name) => service(name).caPem);
		const authorities = join(folder, 'authorities.pem');
		await writeFile(authorities, known.join('\n'));
		n8n = await startN8n({
			packages: [packedPackage()],
			env: { ...archive.n8n.env, NODE_EXTRA_CA_CERTS: authorities },
			allowedPaths: archive.n8n.allowedPaths,
		});
		const { httpsUrl: url = '' } = service('valid');
		credentials = await createCredentials({ ...service('valid'), url }, async (credential) =>
			n8n.createCredential(credential),
		);
	});
	after(async () => {
		await n8n?.stop();
		await archive?.close();
		for (const emulator of services.values()) await emulator.close();
		await rm(folder, { recursive: true, force: true });
	});

	const testApi = async (baseUrl: string | undefined) =>
		await n8n.testCredential({
			id: credentials.voiceAgentApi.id,
			type: 'voiceAgentApi',
			data: { baseUrl, apiKey: API_KEY },
		});

	test('calls are archived and deleted over TLS, one of them from a storage address', async () => {
		const { control } = service('valid');
		const workflowId = await n8n.importWorkflow(archive.configured(), credentials);
		await n8n.activate(workflowId);
		control.setWebhooks({ callEnd: await n8n.webhookUrl(workflowId, TRIGGER) });
		for (const download of ['direct', 'otherOrigin'] as const) {
			control.setShapes({ download });
			control.setDefaultInstructions({ recordCall: true, recordCallPassword: PASSWORD });
			const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 3 });
			await control.completedCall(sessionGuid);
			const [execution] = await executionsFor(n8n, {
				workflowId,
				trigger: TRIGGER,
				sessionGuid,
				count: 1,
			});
			assert.equal(execution?.status, 'success', execution?.error?.message);
			const { state, plainSha256 } = ledgerEntry(service('valid'), sessionGuid);
			assert.equal(state, 'deleted');
			const files = (await archive.files()).filter(
				({ name }) => name.includes(sessionGuid) && !name.endsWith('.json'),
			);
			assert.deepEqual(
				files.map(({ content }) => createHash('sha256').update(content).digest('hex')),
				[plainSha256],
			);
			const withKey = control
				.requests()
				.filter(({ rawHeaders }) => rawHeaders.some(([, value]) => value === API_KEY));
			assert.ok(withKey.every(({ path }) => path.startsWith('/api/customer/')));
			control.clearLogs();
		}
	});

	test('a certificate of an authority that n8n knows', async () => {
		const { httpsUrl } = service('valid');
		assert.equal((await testApi(httpsUrl)).status, 'OK');
		assert.equal((await testApi(httpsUrl?.replace('127.0.0.1', 'localhost'))).status, 'OK');
	});

	for (const [name, problem] of [
		['unknownAuthority', 'n8n does not know who issued its certificate'],
		['selfSigned', 'n8n does not know who issued its certificate'],
		['expired', 'its certificate has expired'],
		['wrongName', 'its certificate is for another host'],
	] as const) {
		test(`the test of the credential explains a bad certificate: ${name} [fault 17]`, async () => {
			const { status, message } = await testApi(service(name).httpsUrl);
			assert.equal(status, 'Error');
			assert.match(message, new RegExp(`^No secure connection .* can be made: ${problem}\\. `));
			assert.match(message, /set NODE_EXTRA_CA_CERTS to the PEM file of its authority/);
			assert.deepEqual(service(name).control.requests(), []);
		});
	}

	test('and a port that does not speak https', async () => {
		const { status, message } = await testApi(service('valid').url.replace('http:', 'https:'));
		assert.equal(status, 'Error');
		assert.match(message, /can be made: the port does not speak https.* Check the host and port/);
	});
});
