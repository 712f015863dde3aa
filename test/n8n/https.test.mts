/**
 * A service with https, as every real one. Its certificates are from an authority that only
 * `NODE_EXTRA_CA_CERTS` names.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { createEmulator, type Emulator } from '../../emulator/src/index.mts';
import { executionsFor } from '../../harness/executions.mts';
import { START, workflowAround } from '../../harness/nodeRun.mts';
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
import { assertArchived, CALL_END, publishArchive } from './archived.mts';
import { hostOf, succeeded } from './suite.mts';

suite('https', () => {
	let archive: FolderArchive;
	let credentials: Credentials;
	let emulator: Emulator;
	const host = hostOf(async (folder) => {
		archive = await folderArchive(folder);
		const secret = { in: 'header', name: WEBHOOK_HEADER, value: WEBHOOK_SECRET } as const;
		emulator = await createEmulator({
			callSpeed: 50,
			https: { certificate: 'valid' },
			webhookDelivery: { secret },
		});
		const authorities = join(folder, 'authorities.pem');
		await writeFile(authorities, String(emulator.caPem));
		// n8n blocks all other internal addresses.
		const protection = {
			N8N_SSRF_PROTECTION_ENABLED: 'true',
			N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32',
		};
		return { env: { NODE_EXTRA_CA_CERTS: authorities, ...protection }, ...archive.n8n };
	});
	before(async () => {
		const { httpsUrl: url = '' } = emulator;
		credentials = await createCredentials({ url }, async (credential) =>
			host.n8n.createCredential(credential),
		);
	});
	after(async () => await emulator?.close());

	test('calls are archived and deleted over TLS, one of them from a storage address', async () => {
		const { control } = emulator;
		const { n8n } = host;
		const workflowId = await publishArchive({ n8n, credentials, emulator }, archive.configured());
		for (const download of ['direct', 'otherOrigin'] as const) {
			control.setShapes({ download });
			control.setDefaultInstructions({ recordCall: true, recordCallPassword: PASSWORD });
			const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 3 });
			await control.completedCall(sessionGuid);
			const query = { workflowId, trigger: CALL_END, sessionGuid, count: 1 };
			succeeded((await executionsFor(n8n, query))[0]);
			assertArchived(await archive.files(), ledgerEntry(emulator, sessionGuid));
			const withKey = control
				.requests()
				.filter(({ rawHeaders }) => rawHeaders.some(([, value]) => value === API_KEY));
			assert.ok(withKey.every(({ path }) => path.startsWith('/api/customer/')));
			control.clearLogs();
		}
	});

	test('an address that n8n blocks is named as such, with the settings that allow it', async () => {
		const { n8n } = host;
		const elsewhere = await createCredentials({ url: 'https://127.0.0.2:1' }, async (credential) =>
			n8n.createCredential(credential),
		);
		const list = { resource: 'recording', operation: 'getMany' };
		const id = await n8n.importWorkflow(workflowAround({ parameters: list }), elsewhere);
		const { error } = await n8n.run(id, { trigger: START });
		assert.equal(error?.message, 'n8n does not allow requests to this host');
		for (const setting of ['N8N_SSRF_ALLOWED_HOSTNAMES', 'N8N_SSRF_ALLOWED_IP_RANGES']) {
			assert.ok(String(error?.description).includes(setting));
		}
	});
});
