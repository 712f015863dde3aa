/** What came out of an execution. */
import assert from 'node:assert/strict';

import type { Execution } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';

/** Asserts that the node failed with this error and put out nothing. */
export function assertFailed(execution: Execution, message: RegExp, description?: RegExp): void {
	assert.equal(execution.status, 'error');
	const error = execution.nodeError(NODE);
	assert.match(String(error?.message), message);
	if (description) assert.match(String(error?.description), description);
	assert.deepEqual(execution.items(NODE), []);
}

/** Reason and text of a failure that became an item, for comparison with one pattern. */
export function failure(execution: Execution): string {
	const json = execution.items(NODE)[0]?.json;
	const { reason, description } = (json?.details ?? {}) as Record<string, string>;
	return `${reason}: ${String(json?.error)} ${description}`;
}
