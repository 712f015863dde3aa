/** What an execution shows of the VoiceAgent node, as the field cases name it. */
import type { Execution } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import type { Seen } from '../fieldCases/outcome.mts';

export function seenIn(execution: Execution): Seen {
	const error = execution.nodeError(NODE);
	const isFailed = execution.status === 'error';
	return {
		items: execution.items(NODE).map(({ json }) => json),
		hints: execution.hints(NODE),
		refusal: isFailed ? `${error?.message} ${error?.description ?? ''}` : undefined,
	};
}
