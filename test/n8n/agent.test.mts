/** AI agents that call and that explain recordings, in one n8n that can be killed and restarted. */
import { suite } from 'node:test';

import { approvalSuite } from './agent/approval.mts';
import { mcpSuite } from './agent/mcp.mts';
import { recordingsSuite } from './agent/recordings.mts';
import { toolSuite } from './agent/tool.mts';
import { restartableN8n } from './restartable.mts';

suite('AI agents', { concurrency: 1 }, () => {
	const { getN8n, killAndStart } = restartableN8n();
	toolSuite(getN8n);
	recordingsSuite(getN8n);
	mcpSuite(getN8n);
	approvalSuite(getN8n, killAndStart);
});
