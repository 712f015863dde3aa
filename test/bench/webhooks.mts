/**
 * d. Webhooks per second and CPU time of each, against n8n's own Webhook node, at a webhook process
 * in queue mode.
 */
import { randomUUID } from 'node:crypto';

import { inARow, voiceAgentTrigger } from '../../harness/flow.mts';
import { startFleet } from '../../harness/fleet.mts';
import type { QueueProcess, WorkflowNode } from '../../harness/n8n/n8n.mts';
import { missingServer } from '../../harness/standIns/servers.mts';
import { WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../harness/stack.mts';
import { cpuMs, inTurns, noise, sendAll } from './measure.mts';
import type { Part } from './page.mts';

const WEBHOOK_ROUNDS = 5;
const WEBHOOKS = 60;
const AT_ONCE = 4;

export const webhooks: Part = {
	letter: 'd',
	title: 'Webhooks in queue mode',
	text: [
		'How many webhooks one webhook process handles, with PostgreSQL and Redis, 4 at once. CPU time',
		'is what the process uses per webhook.',
	].join(' '),
	missing: () => missingServer('PostgreSQL', 'Redis'),
	async measure() {
		const variable = 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE';
		const rows: string[][] = [];
		const fleet = await startFleet({ workers: 0 });
		try {
			const paths = await activateAll(fleet.stack);
			for (const value of [undefined, 'true']) {
				const process = value
					? await fleet.start('webhook', { [variable]: value })
					: fleet.webhooks;
				const figures = await inTurns(WEBHOOK_ROUNDS, waysOf(process, paths));
				for (const [trigger, { perSecond, cpuMs: cpu }] of Object.entries(figures)) {
					const measured = [perSecond.median.toFixed(0), `${cpu.median.toFixed(0)} ms`];
					rows.push([trigger, value ? `\`${value}\`` : 'not set', ...measured, noise(perSecond)]);
				}
			}
		} finally {
			await fleet.stop();
		}
		return { head: ['Trigger', `\`${variable}\``, 'Webhooks per second', 'CPU time', ''], rows };
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

/** Publishes a workflow for each trigger. Returns where each takes webhooks. */
async function activateAll({ n8n, credentials }: Stack): Promise<Map<string, string>> {
	const httpHeaderAuth = await n8n.createCredential({
		name: 'Header Auth',
		type: 'httpHeaderAuth',
		data: { name: WEBHOOK_HEADER, value: WEBHOOK_SECRET },
	});
	const paths = new Map<string, string>();
	for (const [name, trigger] of Object.entries(TRIGGERS)) {
		const flow = inARow(name, [trigger]);
		const id = await n8n.importWorkflow(flow, { ...credentials, httpHeaderAuth });
		await n8n.activate(id);
		paths.set(name, new URL(await n8n.webhookUrl(id, 'Trigger')).pathname);
	}
	return paths;
}

/** A round at each trigger: webhooks per second, and CPU time of each. */
function waysOf({ url, pid }: QueueProcess, paths: ReadonlyMap<string, string>) {
	const ways = [...paths].map(([name, path]) => {
		const way = async () => {
			const bodies = Array.from({ length: WEBHOOKS }, () => ({ sessionGuid: randomUUID() }));
			const before = cpuMs(pid);
			const ms = await sendAll(url + path, bodies, AT_ONCE);
			return { perSecond: (WEBHOOKS * 1000) / ms, cpuMs: (cpuMs(pid) - before) / WEBHOOKS };
		};
		return [name, way] as const;
	});
	return Object.fromEntries(ways);
}
