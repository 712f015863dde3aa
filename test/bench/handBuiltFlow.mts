/** The same job with n8n's own nodes: an HTTP Request node and a Code node that decrypts. */
import { API_KEY, byGuid, chain, NODE, PASSWORD, type Stack } from '../../harness/stack.mts';
import type { Credential, Json, WorkflowNode } from '../../harness/n8n/n8n.mts';
import { isQuick, median } from './measure.mts';

const RUNS = isQuick ? 1 : 5;
const TIMEOUT_MS = 600_000;

export interface Comparison {
	recordings: number;
	sizeBytes: number;
	runs: number;
	/** Medians. */
	nodeMs: number;
	handBuiltMs: number;
	/** How many times as fast this node is, from medians. */
	ratio: number;
}

export const DECRYPT = `const { createDecipheriv, pbkdf2Sync } = require('crypto');
const items = $input.all();
for (const [index, item] of items.entries()) {
	const file = await this.helpers.getBinaryDataBuffer(index, 'data');
	const key = pbkdf2Sync(${JSON.stringify(PASSWORD)}, file.subarray(0, 16), 310000, 32, 'sha256');
	const decipher = createDecipheriv('aes-256-gcm', key, file.subarray(16, 28), { authTagLength: 16 });
	decipher.setAuthTag(file.subarray(-16));
	const plain = Buffer.concat([decipher.update(file.subarray(28, -16)), decipher.final()]);
	item.binary.data = await this.helpers.prepareBinaryData(plain, 'recording.wav', 'audio/wav');
}
return items;`;

export async function compareWithHandBuiltFlow(
	stack: Stack,
	{ recordings, sizeBytes }: { recordings: number; sizeBytes: number },
): Promise<Comparison> {
	const items: Array<{ sessionGuid: string }> = [];
	let bytes = 0;
	for (let index = 0; index < recordings; index++) {
		const added = await stack.emulator.control.addRecording({
			format: 'wav',
			sizeBytes,
			password: PASSWORD,
		});
		items.push({ sessionGuid: added.sessionGuid });
		bytes += added.plainBytes;
	}

	const flows = {
		node: await importFlow(stack, items, [
			{
				name: NODE,
				type: 'n8n-nodes-voiceagent.voiceAgent',
				typeVersion: 1,
				parameters: { resource: 'recording', operation: 'download', recording: byGuid() },
			},
		]),
		handBuilt: await importFlow(stack, items, [
			httpRequest(stack, await tokenHeader(stack)),
			codeNode(DECRYPT),
		]),
	};

	const times = { node: [] as number[], handBuilt: [] as number[] };
	for (let run = 0; run <= RUNS; run++) {
		for (const way of ['node', 'handBuilt'] as const) {
			const { ms, outputBytes } = await runFlow(stack, flows[way]);
			if (outputBytes !== bytes)
				throw new Error(`${way}: ${outputBytes} of ${bytes} bytes came out`);
			console.log(
				`${recordings} × ${sizeBytes} bytes, ${way}, ${run === 0 ? 'warm-up' : `run ${run}`}: ${Math.round(ms)} ms`,
			);
			if (run > 0) times[way].push(ms);
		}
	}
	const [nodeMs, handBuiltMs] = [median(times.node), median(times.handBuilt)];
	return { recordings, sizeBytes, runs: RUNS, nodeMs, handBuiltMs, ratio: handBuiltMs / nodeMs };
}

/** The API key as n8n's HTTP Request node takes it. */
export async function tokenHeader(stack: Stack): Promise<Credential> {
	return await stack.n8n.createCredential({
		name: 'Token header',
		type: 'httpHeaderAuth',
		data: { name: 'Token', value: API_KEY },
	});
}

/** Downloads the recording of each item, unless the parameters say otherwise. */
export function httpRequest(
	stack: Stack,
	httpHeaderAuth: Credential,
	parameters: Record<string, unknown> = {},
	settings: Record<string, unknown> = {},
): WorkflowNode {
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		// A header given in the node's own parameters is sent in lower case, which the service refuses.
		credentials: { httpHeaderAuth },
		parameters: {
			url: `=${stack.emulator.url}/api/customer/recordings/{{ $json.sessionGuid }}`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			options: { response: { response: { responseFormat: 'file' } } },
			...parameters,
		},
		...settings,
	};
}

export function codeNode(jsCode: string, settings: Record<string, unknown> = {}): WorkflowNode {
	return {
		name: 'Code',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode },
		...settings,
	};
}

export interface Flow {
	workflowId: string;
	names: string[];
}

/** A flow that is started by hand, with these items. */
export async function importFlow(
	stack: Stack,
	items: Array<Record<string, Json>>,
	nodes: WorkflowNode[],
): Promise<Flow> {
	const all = [
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
		...nodes,
	].map((node, index) => ({ ...node, id: `node-${index}`, position: [index * 220, 0] }));
	const workflowId = await stack.n8n.importWorkflow(
		{
			name: `Flow of ${nodes.map(({ name }) => name).join(', ')}`,
			nodes: all,
			connections: chain(all.map(({ name }) => name)),
			pinData: { Start: items.map((json) => ({ json })) },
		},
		stack.credentials,
	);
	return { workflowId, names: nodes.map(({ name }) => name) };
}

/** The time of the nodes alone, as n8n records it, without starting the execution and storing its data. */
async function runFlow(
	stack: Stack,
	{ workflowId, names }: Flow,
): Promise<{ ms: number; outputBytes: number }> {
	const execution = await stack.n8n.run(workflowId, { trigger: 'Start', timeoutMs: TIMEOUT_MS });
	if (execution.status !== 'success') throw new Error(execution.error?.message);
	const output = execution.items(names.at(-1) ?? '');
	return {
		ms: names.reduce((sum, name) => sum + execution.nodeTimeMs(name), 0),
		outputBytes: output.reduce((sum, { binary }) => sum + (binary?.data?.bytes ?? 0), 0),
	};
}
