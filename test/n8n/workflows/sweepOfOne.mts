import { inARow } from '../../../harness/flow.mts';
import type { Credential, N8n } from '../../../harness/n8n/n8n.mts';
import { ARCHIVE_NODE, nodeOf, sweepInto } from '../../../harness/workflows.mts';

/** What an archive workflow tells a sweep about one recording. */
export async function sweepOfOne(
	n8n: N8n,
	credentials: Record<string, Credential>,
	archiveWorkflowId: string,
	recording: { sessionGuid: string; callEndedAt: string },
): Promise<Record<string, unknown>> {
	const type = 'n8n-nodes-base.manualTrigger';
	const start = { name: 'Start', type, typeVersion: 1, parameters: {} };
	const call = nodeOf(sweepInto(archiveWorkflowId), ARCHIVE_NODE);
	const caller = inARow('Sweep of one', [start, call], {
		pinData: { Start: [{ json: recording }] },
	});
	const id = await n8n.importWorkflow(caller, credentials);
	const execution = await n8n.run(id, { trigger: 'Start' });
	return execution.items(ARCHIVE_NODE)[0]?.json ?? {};
}
