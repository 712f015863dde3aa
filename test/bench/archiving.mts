/** e. The whole archive workflow, and our share of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Workflow } from '../../harness/n8n/n8n.mts';
import { postWebhook } from '../../harness/webhook.mts';
import { archiveToFolder, nodeOf } from '../../harness/workflows.mts';
import { inTurns, isQuick, noise } from './measure.mts';
import { startN8nAt, type N8nAtServer } from './n8nAtServer.mts';
import type { Part } from './page.mts';
import { serve, type FileServer } from './recordingSets.mts';

const CALLS = isQuick ? 3 : 100;
const ROUNDS = isQuick ? 1 : 3;
/** Calls that end at the same time. */
const AT_ONCE = 8;
const SET = { count: CALLS, bytes: 300_000, encrypted: true };
const TRIGGER = 'When a call ends';
const DOWNLOAD = 'Download recording';
const DELETE = 'Delete recording from service';
const TIMEOUT_MS = 10 * 60_000;

const WAYS = {
	ours: 'archive-to-folder',
	empty: 'the same with Convert to File and No Operation',
} as const;

export const archiving: Part = {
	letter: 'e',
	title: 'Archiving',
	text: `The workflow archive-to-folder for ${CALLS} calls of 300 KB, encrypted, ${AT_ONCE} at once, from the first webhook to the end of the last execution. Compared with the same workflow with Download replaced by Convert to File, which outputs a few bytes, and Delete by No Operation. The share is the part of the time of all nodes that Download and Delete take.`,
	async measure() {
		const folder = mkdtempSync(join(tmpdir(), 'voiceagent-bench-'));
		const server = await serve([SET]);
		const at = await startN8nAt(server, { allowedPaths: [folder] });
		try {
			const ways: Record<string, () => Promise<{ perSecond: number; share: number }>> = {};
			for (const way of Object.keys(WAYS) as Array<keyof typeof WAYS>) {
				ways[way] = async () => await archive(server, at, variant(way, folder));
			}
			const measured = await inTurns(ROUNDS, ways);
			return {
				head: ['Workflow', 'Calls per second', 'Share of our nodes', ''],
				rows: Object.entries(measured).map(([way, { perSecond, share }]) => [
					WAYS[way as keyof typeof WAYS],
					perSecond.median.toFixed(1),
					way === 'ours' ? `${Math.round(share.median)} %` : '',
					noise(perSecond),
				]),
				data: measured,
			};
		} finally {
			await at.stop();
			await server.stop();
			rmSync(folder, { recursive: true });
		}
	},
};

function variant(way: keyof typeof WAYS, folder: string): Workflow {
	const workflow = archiveToFolder(folder);
	if (way === 'ours') return workflow;
	const replace = (name: string, type: string, typeVersion: number, parameters: object) =>
		Object.assign(nodeOf(workflow, name), { type, typeVersion, parameters, credentials: {} });
	const toText = { operation: 'toText', sourceProperty: 'sessionGuid', options: {} };
	replace(DOWNLOAD, 'n8n-nodes-base.convertToFile', 1.1, toText);
	replace(DELETE, 'n8n-nodes-base.noOp', 1, {});
	nodeOf(workflow, 'Write recording to folder').parameters.fileName =
		`=${folder}/{{ $execution.id }}`;
	return workflow;
}

/** Sends the webhooks of all calls, and waits for the executions. */
async function archive(
	server: FileServer,
	{ n8n, credentials, removeFiles }: N8nAtServer,
	workflow: Workflow,
) {
	const workflowId = await n8n.importWorkflow(workflow, credentials);
	await n8n.activate(workflowId);
	const url = await n8n.webhookUrl(workflowId, TRIGGER);
	const left = server.guids(0, CALLS);
	const send = async () => {
		for (let guid = left.pop(); guid !== undefined; guid = left.pop()) {
			const answer = await postWebhook(
				url,
				JSON.stringify({ event: 'CallEnd', sessionGuid: guid }),
			);
			if (!answer.ok) throw new Error(`A webhook was answered with ${answer.status}.`);
		}
	};
	const start = Date.now();
	await Promise.all(Array.from({ length: AT_ONCE }, send));
	const executions = await n8n.waitForExecutions({
		workflowId,
		count: CALLS,
		timeoutMs: TIMEOUT_MS,
	});
	for (const { status, error } of executions)
		if (status !== 'success') throw new Error(error?.message);
	const timeOf = (names: readonly string[]) =>
		executions.reduce(
			(sum, execution) => sum + names.reduce((all, name) => all + execution.nodeTimeMs(name), 0),
			0,
		);
	const end = Math.max(...executions.map(({ stoppedAt }) => stoppedAt?.getTime() ?? NaN));
	await n8n.deactivate(workflowId);
	removeFiles();
	return {
		perSecond: (CALLS * 1000) / (end - start),
		share: (100 * timeOf([DOWNLOAD, DELETE])) / timeOf(workflow.nodes.map(({ name }) => name)),
	};
}
