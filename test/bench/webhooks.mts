/** d. Webhooks per second and CPU time of each, against n8n's own Webhook node, at a webhook process in queue mode. */
import { randomUUID } from 'node:crypto';

import { inARow, voiceAgentTrigger } from '../../harness/flow.mts';
import { startFleet } from '../../harness/fleet.mts';
import type { WorkflowNode } from '../../harness/n8n/n8n.mts';
import { missingServer } from '../../harness/standIns/servers.mts';
import { WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../harness/stack.mts';
import { cpuMs, inTurns, noise, sendAll, type Figure } from './measure.mts';
import type { Part } from './page.mts';

const WEBHOOK_ROUNDS = 5;
const WEBHOOKS = 60;
const AT_ONCE = 4;

interface WebhookCost {
	trigger: string;
	/** Whether n8n ran with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true. */
	isLazy: boolean;
	perSecond: Figure;
	cpuMs: Figure;
}

export const webhooks: Part = {
	letter: 'd',
	title: 'Webhooks in queue mode',
	text: 'How many webhooks one webhook process handles, with PostgreSQL and Redis, 4 at once. CPU time is what the process uses per webhook.',
	missing: () => missingServer('PostgreSQL', 'Redis'),
	async measure() {
		const costs = await compareTriggers();
		return {
			head: [
				'Trigger',
				'`N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE`',
				'Webhooks per second',
				'CPU time',
				'',
			],
			rows: costs.map(({ trigger, isLazy, perSecond, cpuMs: cpu }) => [
				trigger,
				isLazy ? '`true`' : 'not set',
				perSecond.median.toFixed(0),
				`${cpu.median.toFixed(0)} ms`,
				noise(perSecond),
			]),
		};
	},
};

const n8nWebhook = (authentication: string): WorkflowNode => ({
	name: 'Trigger',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2.1,
	webhookId: randomUUID(),
	parameters: { httpMethod: 'POST', path: randomUUID(), authentication, options: {} },
});

const TRIGGERS: Record<string, WorkflowNode> = {
	'Webhook, without authentication': n8nWebhook('none'),
	'Webhook, Header Auth': n8nWebhook('headerAuth'),
	'VoiceAgent Trigger, Call End': voiceAgentTrigger({ event: 'callEnd' }, 'Trigger'),
	'VoiceAgent Trigger, Call Start': voiceAgentTrigger(
		{ event: 'callStart', recordCall: true, encryptRecording: true },
		'Trigger',
	),
};

async function compareTriggers(): Promise<WebhookCost[]> {
	const fleet = await startFleet({ workers: 0 });
	try {
		const paths = await activateAll(fleet.stack);
		const costs: WebhookCost[] = [];
		for (const isLazy of [false, true]) {
			const { url, pid } = isLazy
				? await fleet.start('webhook', { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' })
				: fleet.webhooks;
			const ways = paths.map(
				([name, path]) => [name, async () => await costOf(url + path, pid)] as const,
			);
			const figures = await inTurns(WEBHOOK_ROUNDS, Object.fromEntries(ways));
			costs.push(
				...Object.entries(figures).map(([trigger, cost]) => ({ trigger, isLazy, ...cost })),
			);
		}
		return costs;
	} finally {
		await fleet.stop();
	}
}

/** Publishes a workflow for each trigger. Returns where each takes webhooks. */
async function activateAll({
	n8n,
	credentials,
}: Stack): Promise<Array<[name: string, path: string]>> {
	const headerAuth = await n8n.createCredential({
		name: 'Header Auth',
		type: 'httpHeaderAuth',
		data: { name: WEBHOOK_HEADER, value: WEBHOOK_SECRET },
	});
	const paths: Array<[string, string]> = [];
	for (const [name, trigger] of Object.entries(TRIGGERS)) {
		const id = await n8n.importWorkflow(inARow(name, [trigger]), {
			...credentials,
			httpHeaderAuth: headerAuth,
		});
		await n8n.activate(id);
		paths.push([name, new URL(await n8n.webhookUrl(id, 'Trigger')).pathname]);
	}
	return paths;
}

/** A round at a trigger: webhooks per second, and CPU time of each. */
async function costOf(url: string, pid: number): Promise<{ perSecond: number; cpuMs: number }> {
	const bodies = Array.from({ length: WEBHOOKS }, () => ({ sessionGuid: randomUUID() }));
	const before = cpuMs(pid);
	const ms = await sendAll(url, bodies, AT_ONCE);
	return { perSecond: (WEBHOOKS * 1000) / ms, cpuMs: (cpuMs(pid) - before) / WEBHOOKS };
}
