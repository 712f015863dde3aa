/** The same job with n8n's own nodes: an HTTP Request node and a Code node that decrypts. */
import type { WorkflowNode } from '../../harness/n8n/n8n.mts';
import { API_KEY, PASSWORD } from '../../harness/serviceAccess.mts';

/** The API key as n8n's HTTP Request node takes it. */
export const tokenHeader = {
	name: 'Token header',
	type: 'httpHeaderAuth',
	data: { name: 'Token', value: API_KEY },
};

/** Downloads the recording of each item. */
export function httpRequest(serviceUrl: string): WorkflowNode {
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		// A header given in the node's own parameters is sent in lower case, which the service refuses.
		credentials: { httpHeaderAuth: { id: '', name: '' } },
		parameters: {
			url: `=${serviceUrl}/api/customer/recordings/{{ $json.sessionGuid }}`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			options: { response: { response: { responseFormat: 'file' } } },
		},
	};
}

/** Decrypts the file of each item. */
export const codeNode: WorkflowNode = {
	name: 'Code',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: {
		jsCode: `const { createDecipheriv, pbkdf2Sync } = require('crypto');
const items = $input.all();
for (const [index, item] of items.entries()) {
	const file = await this.helpers.getBinaryDataBuffer(index, 'data');
	const key = pbkdf2Sync(${JSON.stringify(PASSWORD)}, file.subarray(0, 16), 310000, 32, 'sha256');
	const nonce = file.subarray(16, 28);
	const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
	decipher.setAuthTag(file.subarray(-16));
	const plain = Buffer.concat([decipher.update(file.subarray(28, -16)), decipher.final()]);
	item.binary.data = await this.helpers.prepareBinaryData(plain, 'recording.wav', 'audio/wav');
}
return items;`,
	},
};
