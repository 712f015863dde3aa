/** d. Time for each item, from few to many. */
import { byGuid, voiceAgent } from '../../harness/flow.mts';
import { inTurns, isQuick, milliseconds, noise } from './measure.mts';
import { startN8nAt } from './n8nAtServer.mts';
import type { Part } from './page.mts';
import { serve } from './recordingSets.mts';

const COUNTS = isQuick ? [10] : [10, 100, 1_000, 10_000];
const ROUNDS = isQuick ? 1 : 3;
/** So short that what is measured is the item, not its bytes. */
const BYTES = 2_000;

const STEPS = {
	'Get Many': { operation: 'getMany', returnAll: false },
	Download: { operation: 'download', recording: byGuid(), options: {} },
	Delete: { operation: 'delete', recording: byGuid(), requireProof: false, options: {} },
} as const;

export const items: Part = {
	letter: 'd',
	title: 'Many recordings',
	text: 'One execution that lists recordings, downloads them and deletes them, in milliseconds per recording. The recordings are short and not encrypted, so that key derivation does not hide the time per item.',
	async measure() {
		const server = await serve([{ count: Math.max(...COUNTS), bytes: BYTES, encrypted: false }]);
		const at = await startN8nAt(server);
		try {
			const run = async (count: number) => {
				const nodes = Object.entries(STEPS).map(([name, parameters]) =>
					voiceAgent({ resource: 'recording', ...parameters, limit: count }, { name }),
				);
				const { execution } = await (await at.importFlow([''], nodes)).run();
				const deleted = execution.items('Delete').length;
				if (deleted !== count) throw new Error(`${deleted} of ${count} recordings were deleted.`);
				at.removeFiles();
				return Object.fromEntries(
					nodes.map(({ name }) => [name, execution.nodeTimeMs(name) / count]),
				);
			};
			const measured = await inTurns(
				ROUNDS,
				Object.fromEntries(COUNTS.map((count) => [count, async () => await run(count)])),
			);
			return {
				head: ['Recordings', ...Object.keys(STEPS), ''],
				rows: COUNTS.map((count) => {
					const steps = Object.values(measured[count] ?? {});
					return [count.toLocaleString('en-US'), ...steps.map(milliseconds), noise(...steps)];
				}),
				data: measured,
			};
		} finally {
			await at.stop();
			await server.stop();
		}
	},
};
