/** A sweep, its archive workflow and a ledger, for the tests of a suite. */
import { withLedger } from '../../../harness/workflows.mts';
import { ledgerOf, type Host } from '../suite.mts';
import { sweepsOf, type Changes } from '../workflows/sweepSetup.mts';

export function sweepWithLedger(getHost: () => Host, changes: Changes = {}) {
	const ledger = ledgerOf(() => getHost().n8n);
	const setup = sweepsOf(getHost, {
		...changes,
		archive(workflow) {
			withLedger(workflow);
			changes.archive?.(workflow);
		},
	});
	return { ledger, setup };
}
