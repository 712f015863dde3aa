import { inARow, manualTrigger } from '../../../harness/flow.mts';
import type { Stack } from '../../../harness/stack.mts';
import { ARCHIVE_NODE, nodeOf, sweepInto } from '../../../harness/workflows.mts';

/** What an archive workflow tells a sweep about one recording. */
export async function sweepOfOne(
	{ n8n, credentials }: Stack,
	archiveWorkflowId: string,
	recording: { sessionGuid: string; endedAt: string; recording?: object },
): Promise<Record<string, unknown>> {
	const call = nodeOf(sweepInto(archiveWorkflowId), ARCHIVE_NODE);
	const caller = inARow('Sweep of one', [manualTrigger(), call], {
		pinData: { Start: [{ json: { event: 'recordingWaiting', ...recording } }] },
	});
	const id = await n8n.importWorkflow(caller, credentials);
	const execution = await n8n.run(id, { trigger: 'Start' });
	return execution.items(ARCHIVE_NODE)[0]?.json ?? {};
}
