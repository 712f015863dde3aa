import type { INodeCredentialDescription, INodeParameters } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { VoiceAgent } from '../../nodes/VoiceAgent/VoiceAgent.node';
import { VoiceAgentRecordingTrigger } from '../../nodes/VoiceAgentRecordingTrigger/VoiceAgentRecordingTrigger.node';
import { VoiceAgentTrigger } from '../../nodes/VoiceAgentTrigger/VoiceAgentTrigger.node';

const { description } = new VoiceAgent();
const API = 'voiceAgentApi';
const encrypts = { recordCall: true, encryptRecording: true };

test.each([
	['VoiceAgent', description],
	['VoiceAgent Trigger', new VoiceAgentTrigger().description],
	['VoiceAgent Recording Trigger', new VoiceAgentRecordingTrigger().description],
])('%s has the one credential once, because n8n looks only at the first entry', (_name, node) => {
	const common = { name: API, required: true, testedBy: 'testAccount' };
	expect(node.credentials).toHaveLength(1);
	expect(node.credentials).toMatchObject([common]);
});

test.each<[string, string, object, string[]]>([
	['call', 'screenNumbers', {}, []],
	['call', 'make', {}, [API]],
	['call', 'matchNumber', {}, []],
	['callStart', 'respond', encrypts, []],
	['connection', 'check', {}, [API]],
	['recording', 'decrypt', {}, [API]],
	['recording', 'delete', {}, [API]],
	['recording', 'download', {}, [API]],
	['recording', 'download', { decrypt: 'always' }, [API]],
	['recording', 'download', { decrypt: 'never' }, [API]],
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
