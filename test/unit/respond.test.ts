import type { NodeTypeAndVersion } from 'n8n-workflow';

import { waitsForResponse } from '../../nodes/VoiceAgent/callStart/respond.operation';

const node = (type: string, parameters?: object, more = {}) =>
	({ name: 'Node', typeVersion: 1, type, parameters, ...more }) as NodeTypeAndVersion;

const OURS = '@someone/n8n-nodes-voiceagent.voiceAgentTrigger';
const WEBHOOK = 'n8n-nodes-base.webhook';
const waiting = { event: 'callStart', respond: 'responseNode' };

test.each<[boolean, string, object?, object?]>([
	[true, OURS, waiting],
	[true, 'CUSTOM.voiceAgentTrigger', waiting],
	[false, OURS, waiting, { disabled: true }],
	[false, OURS, { ...waiting, event: 'callEnd' }],
	[false, OURS, undefined],
	[false, 'n8n-nodes-voiceagent.voiceAgent', waiting],
	[false, 'voiceAgentTrigger', waiting],
	[true, WEBHOOK, { responseMode: 'responseNode' }],
	[false, WEBHOOK, { responseMode: 'responseNode' }, { disabled: true }],
	[false, WEBHOOK, { responseMode: 'lastNode' }],
	[false, WEBHOOK, undefined],
	[false, WEBHOOK, waiting],
	[false, 'n8n-nodes-base.formTrigger', { responseMode: 'responseNode' }],
])('waits for a response: %s, %s with %j, %j', (expected, type, parameters, more = {}) => {
	expect(waitsForResponse(node(type, parameters, more))).toBe(expected);
});
