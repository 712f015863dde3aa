import type { NodeTypeAndVersion } from 'n8n-workflow';

import { waitsForResponse } from '../../nodes/VoiceAgent/callStart/respond.operation';

const node = (type: string, parameters?: object, more = {}) =>
	({ name: 'Node', typeVersion: 1, type, parameters, ...more }) as NodeTypeAndVersion;

const OURS = '@someone/n8n-nodes-voiceagent.voiceAgentTrigger';
const WEBHOOK = 'n8n-nodes-base.webhook';
const waiting = { event: 'callStart', respond: 'responseNode' };

test.each<[string, object]>([
	[OURS, waiting],
	['CUSTOM.voiceAgentTrigger', waiting],
	[WEBHOOK, { responseMode: 'responseNode' }],
])('a node of the type %s with %j waits for a response', (type, parameters) => {
	expect(waitsForResponse(node(type, parameters))).toBe(true);
});

test.each<[string, object | undefined]>([
	[OURS, { ...waiting, event: 'callEnd' }],
	[OURS, undefined],
	['n8n-nodes-voiceagent.voiceAgent', waiting],
	['voiceAgentTrigger', waiting],
	[WEBHOOK, { responseMode: 'lastNode' }],
	[WEBHOOK, undefined],
	[WEBHOOK, waiting],
	['n8n-nodes-base.formTrigger', { responseMode: 'responseNode' }],
])('a node of the type %s with %j does not wait for a response', (type, parameters) => {
	expect(waitsForResponse(node(type, parameters))).toBe(false);
});

test.each<[string, object]>([
	[OURS, waiting],
	[WEBHOOK, { responseMode: 'responseNode' }],
])('a deactivated node of the type %s with %j does not wait for a response', (type, parameters) => {
	expect(waitsForResponse(node(type, parameters, { disabled: true }))).toBe(false);
});
