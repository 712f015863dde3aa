/** What the tests of a suite share: it is made before them, and ended after them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';

import { createLedger } from '../../harness/ledger.mts';
import {
	packedPackage,
	startN8n,
	type DataTable,
	type Execution,
	type N8n,
	type N8nOptions,
} from '../../harness/n8n/n8n.mts';
import { addService, API_KEY, type Stack } from '../../harness/stack.mts';
import type { Archive } from '../../harness/standIns/archives.mts';
import { startChat, type Chat } from '../../harness/standIns/chat.mts';

/** An n8n, and a folder that its Read/Write Files node may use. */
export interface Host {
	n8n: N8n;
	folder: string;
}

export interface ArchiveHost extends Host {
	archive: Archive;
}

/** Something that ends in one of these ways. */
type Shared = Partial<Record<'stop' | 'close' | 'remove', () => unknown>>;

/** @returns an object that is filled once the tests run */
export function shared<T extends Shared>(make: () => Promise<T>): T {
	const made = {} as T;
	before(async () => void Object.assign(made, await make()));
	after(async () => {
		for (const end of [made.stop, made.close, made.remove]) await end?.();
	});
	return made;
}

export const serviceOf = (getN8n: () => N8n): Stack =>
	shared(async () => await addService(getN8n()));

export const ledgerOf = (getN8n: () => N8n): DataTable =>
	shared(async () => await createLedger(getN8n()));

export const chatOf = (): Chat => shared(startChat);

/** @param options of the n8n, once it has a folder that it may use */
export const hostOf = (options: (folder: string) => Promise<N8nOptions>): Host =>
	shared(async () => {
		const folder = await mkdtemp(join(tmpdir(), 'voiceagent-host-'));
		const { allowedPaths = [], ...more } = await options(folder);
		const paths = { allowedPaths: [folder, ...allowedPaths] };
		const n8n = await startN8n({ packages: [packedPackage()], ...paths, ...more });
		const stop = async () => {
			await n8n.stop();
			await rm(folder, { recursive: true, force: true });
		};
		return { folder, n8n, stop };
	});

/** As another client of the service does. */
export async function deleteRecording({ emulator }: Stack, sessionGuid: string): Promise<void> {
	const headers = { Token: API_KEY };
	const url = `${emulator.url}/api/customer/recordings/${sessionGuid}`;
	await fetch(url, { method: 'DELETE', headers });
}

/** The ids of the executions that a filter of n8n's list lets through, the newest first. */
export async function executionIds(
	n8n: N8n,
	filter: { workflowId: string; status?: string[] },
): Promise<string[]> {
	const path = `/rest/executions?filter=${encodeURIComponent(JSON.stringify(filter))}`;
	const { results } = await n8n.rest<{ results: Array<{ id: string }> }>('GET', path);
	return results.map(({ id }) => id);
}

/** What the Retry button of an execution does; returns the id of the new one. */
export async function retry(n8n: N8n, id: string | undefined): Promise<string> {
	const again = { loadWorkflow: false };
	return (await n8n.rest<{ id: string }>('POST', `/rest/executions/${id}/retry`, again)).id;
}

/**
 * A data table whose name contains that of another one, which was made before. A node that looks
 * the other one up by its name gets this one from n8n. It is removed after the test.
 */
export async function similarTable(
	t: TestContext,
	n8n: N8n,
	name: string,
	columns: Record<string, 'string' | 'date' | 'boolean'>,
): Promise<DataTable> {
	const { id } = await n8n.rest<{ id: string }>('GET', '/rest/projects/personal');
	await n8n.rest('POST', `/rest/projects/${id}/data-tables`, {
		name,
		columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
	});
	const table = await n8n.dataTable(name);
	assert.ok(table);
	t.after(table.remove);
	return table;
}

/** The execution, which has to have succeeded. */
export function succeeded(execution: Execution | undefined): Execution {
	assert.equal(execution?.status, 'success', execution?.error?.message);
	return execution;
}
