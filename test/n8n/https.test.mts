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

suite('https', () => {
	let folder: string;
	let archive: FolderArchive;
	let n8n: N8n;
	let credentials: Credentials;
	let emulator: Emulator;

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-https-'));
		archive = await folderArchive(folder);
		const secret = { in: 'header', name: WEBHOOK_HEADER, value: WEBHOOK_SECRET } as const;
		emulator = await createEmulator({
			callSpeed: 50,
			https: { certificate: 'valid' },
			webhookDelivery: { secret },
		});
		const authorities = join(folder, 'authorities.pem');
		await writeFile(authorities, String(emulator.caPem));
		n8n = await startN8n({
			packages: [packedPackage()],
			env: { ...archive.n8n.env, NODE_EXTRA_CA_CERTS: authorities },
			allowedPaths: archive.n8n.allowedPaths,
		});
		const { httpsUrl: url = '' } = emulator;
		credentials = await createCredentials({ url }, async (credential) =>
			n8n.createCredential(credential),
		);
	});
	after(async () => {
		await n8n?.stop();
		await archive?.close();
		await emulator?.close();
		await rm(folder, { recursive: true, force: true });
	});

	test('calls are archived and deleted over TLS, one of them from a storage address', async () => {
		const { control } = emulator;
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
			const { state, plainSha256 } = ledgerEntry(emulator, sessionGuid);
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
});
