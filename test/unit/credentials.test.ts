import type { INodeCredentialDescription, INodeParameters } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { VoiceAgent } from '../../nodes/VoiceAgent/VoiceAgent.node';

const { description } = new VoiceAgent();
const API = 'voiceAgentApi';
const PASSWORD = 'voiceAgentRecordingPasswordApi';
const encrypts = { recordCall: true, encryptRecording: true };

test('each credential has one entry, because n8n looks only at the first', () => {
	expect(description.credentials?.map(({ name }) => name)).toEqual([API, PASSWORD]);
});

test.each<[string, string, object, string[]]>([
	['call', 'checkNumbers', {}, []],
	['call', 'make', {}, [API]],
	['callStart', 'respond', encrypts, []],
	['connection', 'check', {}, [API]],
	['recording', 'decrypt', {}, [PASSWORD]],
	['recording', 'delete', {}, [API]],
	['recording', 'download', {}, [API, PASSWORD]],
	['recording', 'download', { decrypt: 'always' }, [API, PASSWORD]],
	['recording', 'download', { decrypt: 'never' }, [API, PASSWORD]],
	['recording', 'getMany', {}, [API]],
	['sms', 'send', {}, [API]],
])('%s: %s with %j shows the credentials %j', (resource, operation, more, shown) => {
	const entered = { resource, operation, ...more } as INodeParameters;
	const values = NodeHelpers.getNodeParameters(
		description.properties,
		entered,
		true,
		false,
		null,
		description,
	);
	const isShown = (credential: INodeCredentialDescription) =>
		NodeHelpers.displayParameter(values ?? {}, credential, null, description);
	expect(description.credentials?.filter(isShown).map(({ name }) => name)).toEqual(shown);
});

test('no two operations have the same value, because credentials are shown by it alone', () => {
	const menus = description.properties.filter(({ name }) => name === 'operation');
	const values = menus.flatMap(({ options = [] }) =>
		options.map((one) => 'value' in one && one.value),
	);
	expect(new Set(values).size).toBe(values.length);
});
