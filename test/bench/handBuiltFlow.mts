/** The same job with n8n's own nodes: an HTTP Request node and a Code node that decrypts. */
import { inARow } from '../../harness/flow.mts';
import { API_KEY, PASSWORD, type Stack } from '../../harness/stack.mts';
import type { Credential, Json, N8n, WorkflowNode } from '../../harness/n8n/n8n.mts';

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

/** The API key as n8n's HTTP Request node takes it. */
export async function tokenHeader({ n8n }: { n8n: N8n }): Promise<Credential> {
	return await n8n.createCredential({
		name: 'Token header',
		type: 'httpHeaderAuth',
		data: { name: 'Token', value: API_KEY },
	});
}

/** Downloads the recording of each item, unless the parameters say otherwise. */
export function httpRequest(
	stack: { emulator: Pick<Stack['emulator'], 'url'> },
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

/** Stores a flow that is started by hand, with these items. Returns its id. */
export async function importFlow(
	{ n8n, credentials }: { n8n: N8n; credentials: Record<string, Credential> },
	items: ReadonlyArray<Record<string, Json>>,
	nodes: WorkflowNode[],
): Promise<string> {
	const start = {
		name: 'Start',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		parameters: {},
	};
	const name = `Flow of ${nodes.map((node) => node.name).join(', ')}`;
	const pinData = { Start: items.map((json) => ({ json })) };
	return await n8n.importWorkflow(inARow(name, [start, ...nodes], { pinData }), credentials);
}
