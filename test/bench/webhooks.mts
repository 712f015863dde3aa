/** d. Webhooks per second and CPU time of each, against n8n's own Webhook node, at a webhook process in queue mode. */
import { randomUUID } from 'node:crypto';

import { inARow, voiceAgentTrigger } from '../../harness/flow.mts';
import { startFleet } from '../../harness/fleet.mts';
import type { QueueProcess, WorkflowNode } from '../../harness/n8n/n8n.mts';
import { missingServer } from '../../harness/standIns/servers.mts';
import { WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../harness/stack.mts';
import { cpuMs, figure, noise, type Figure } from './measure.mts';
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
			const process = isLazy
				? await fleet.start('webhook', { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' })
				: fleet.webhooks;
			costs.push(...(await costsAt(process, paths)).map((cost) => ({ ...cost, isLazy })));
		}
		return costs;
	} finally {
		await fleet.stop();
	}
}

/** Publishes a workflow for each trigger. */
async function activateAll({ n8n, credentials }: Stack): Promise<Map<string, string>> {
	const headerAuth = await n8n.createCredential({
		name: 'Header Auth',
		type: 'httpHeaderAuth',
		data: { name: WEBHOOK_HEADER, value: WEBHOOK_SECRET },
	});
	const paths = new Map<string, string>();
	for (const [name, trigger] of Object.entries(TRIGGERS)) {
		const id = await n8n.importWorkflow(inARow(name, [trigger]), {
			...credentials,
			httpHeaderAuth: headerAuth,
		});
		await n8n.activate(id);
		paths.set(name, new URL(await n8n.webhookUrl(id, 'Trigger')).pathname);
	}
	return paths;
}

async function costsAt(
	{ url, pid }: QueueProcess,
	paths: ReadonlyMap<string, string>,
): Promise<Array<Omit<WebhookCost, 'isLazy'>>> {
	const rounds = new Map([...paths.keys()].map((name) => [name, [] as Array<[number, number]>]));
	// The first round warms up.
	for (let round = 0; round <= WEBHOOK_ROUNDS; round++) {
		for (const [name, path] of paths) {
			const before = cpuMs(pid);
			const start = performance.now();
			await send(url + path);
			const ms = performance.now() - start;
			const cost: [number, number] = [(WEBHOOKS * 1000) / ms, (cpuMs(pid) - before) / WEBHOOKS];
			if (round > 0) rounds.get(name)?.push(cost);
		}
	}
	return [...rounds].map(([trigger, costs]) => ({
		trigger,
		perSecond: figure(costs.map(([perSecond]) => perSecond)),
		cpuMs: figure(costs.map(([, ms]) => ms)),
	}));
}

async function send(url: string): Promise<void> {
	let left = WEBHOOKS;
	const sender = async () => {
		while (left-- > 0) {
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json', [WEBHOOK_HEADER]: WEBHOOK_SECRET },
				body: JSON.stringify({ sessionGuid: randomUUID() }),
			});
			if (!response.ok)
				throw new Error(`A webhook was answered with ${response.status}: ${await response.text()}`);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, sender));
}
