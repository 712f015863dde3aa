/** Archives as the service fills them, and as they are read without n8n and without the service. */
import assert from 'node:assert/strict';

import type { LedgerEntry } from '../../emulator/src/index.mts';
import type { CredentialInput, Workflow } from '../../harness/n8n/n8n.mts';
import type { Stack } from '../../harness/stack.mts';
import { sha256, type StoredFile } from '../../harness/standIns/storedFiles.mts';

/** The trigger of the archive workflows. */
export const CALL_END = 'When a call ends';

type Service = Pick<Stack, 'n8n' | 'emulator' | 'credentials'>;

/** The service sends its CallEnd webhooks to this workflow. */
export async function sendCallEndsTo(
	{ n8n, emulator }: Service,
	workflowId: string,
): Promise<void> {
	emulator.control.setWebhooks({ callEnd: await n8n.webhookUrl(workflowId, CALL_END) });
}

/**
 * Publishes an archive workflow, and returns its id. The service sends its CallEnd webhooks there.
 *
 * @param credentials that the archive needs: the stack has them from now on
 */
export async function publishArchive(
	stack: Service,
	workflow: Workflow,
	credentials: CredentialInput[] = [],
): Promise<string> {
	const { n8n } = stack;
	for (const one of credentials) {
		Object.assign(stack.credentials, { [one.type]: await n8n.createCredential(one) });
	}
	const id = await n8n.importWorkflow(workflow, stack.credentials);
	await n8n.activate(id);
	await sendCallEndsTo(stack, id);
	return id;
}

/** The recordings that are whole: those whose checksum the metadata file beside them says. */
export function wholeFiles(files: readonly StoredFile[]): StoredFile[] {
	const baseName = (name: string) => name.replace(/\.[^.]*$/, '');
	return files.filter(
		(file) =>
			!file.name.endsWith('.json') &&
			files.some(
				({ name, content }) =>
					name === `${baseName(file.name)}.json` &&
					checksumIn(String(content)) === sha256(file.content),
			),
	);
}

/**
 * Asserts that a recording lies whole in the archive, with its metadata beside it, and is deleted
 * from the service.
 *
 * @param files of the archive
 * @param times how many whole files of it there may be
 * @returns all files of it
 */
export function assertArchived(
	files: readonly StoredFile[],
	{ sessionGuid, plainSha256, state }: LedgerEntry,
	times = 1,
): StoredFile[] {
	const name = sessionGuid.replace(/[{}]/g, '').toLowerCase();
	const all = files.filter((file) => file.name.toLowerCase().includes(name));
	const whole = wholeFiles(all);
	const checksums = new Set(whole.map(({ content }) => sha256(content)));
	assert.deepEqual([state, ...checksums], ['deleted', plainSha256], sessionGuid);
	assert.ok(whole.length <= times, `${whole.length} files of ${sessionGuid}`);
	return all;
}

function checksumIn(metadata: string): string | undefined {
	try {
		return (JSON.parse(metadata) as { file: { sha256: string } }).file.sha256;
	} catch {
		return undefined;
	}
}
