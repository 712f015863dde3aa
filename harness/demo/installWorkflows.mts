/** Puts credentials, the ledger and the workflows into n8n, unless a former start has done so. */
import type { Emulator } from '../../emulator/src/index.mts';
import { createLedger, LEDGER } from '../ledger.mts';
import type { Credential, CredentialInput, N8n, Workflow } from '../n8n/n8n.mts';
import { pageWorkflow, pageWorkflows, VIEWER } from '../pages.mts';
import { createCredentials, type Secrets } from '../serviceAccess.mts';
import { archiveToFolder, nodeOf, withLedger } from '../workflows.mts';

/**
 * Finds what is in n8n already by its name, and adds the rest.
 *
 * @param archive folder to archive into
 * @returns the ids of the active archive workflow and of the report
 */
export async function installWorkflows(
	n8n: N8n,
	emulator: Emulator,
	archive: string,
	secrets: Secrets,
): Promise<{ archiveId: string; reportId: string }> {
	if ((await n8n.dataTable(LEDGER)) === undefined) await createLedger(n8n);
	const credentials = {
		...(await createCredentials(emulator, async (one) => await upsert(n8n, one), secrets)),
		httpBasicAuth: await upsert(n8n, { name: 'Demo viewer', type: 'httpBasicAuth', data: VIEWER }),
	};
	// A workflow that is there already stays as it is, with the changes that were made in the editor.
	const stored = await n8n.rest<Stored[]>('GET', '/rest/workflows');
	const install = async (workflow: Workflow) =>
		stored.find(({ name, isArchived }) => name === workflow.name && !isArchived)?.id ??
		(await n8n.importWorkflow(workflow, credentials));
	const archiveId = await install(archiveWithLedger(archive));
	await n8n.activate(archiveId);
	const pages: Record<string, string> = {};
	for (const name of pageWorkflows) {
		const id = await install(pageWorkflow(name));
		await n8n.activate(id);
		pages[name] = id;
	}
	return { archiveId, reportId: String(pages['report-and-status']) };
}

interface Stored {
	id: string;
	name: string;
	isArchived?: boolean;
}

function archiveWithLedger(folder: string): Workflow {
	const workflow = withLedger(archiveToFolder(folder));
	// The address stays the same at each start, and is the one in the emulator's examples.
	nodeOf(workflow, 'When a call ends').webhookId = 'call-end';
	return workflow;
}

async function upsert(n8n: N8n, credential: CredentialInput): Promise<Credential> {
	const stored = await n8n.rest<Stored[]>('GET', '/rest/credentials');
	const former = stored.find(({ name }) => name === credential.name);
	if (!former) return await n8n.createCredential(credential);
	await n8n.updateCredential(former.id, credential);
	return { id: former.id, name: former.name };
}
