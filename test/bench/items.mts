/** b. Time for each item, from few to many. */
import { byGuid, voiceAgent } from '../../harness/flow.mts';
import { inTurns, milliseconds, noise, type Figure } from './measure.mts';
import { startN8nAt } from './n8nAtServer.mts';
import type { Part } from './page.mts';
import { serve } from './recordingSets.mts';

const COUNTS = [10, 100, 1_000, 10_000];
const ROUNDS = 3;
/** For Get Many alone. */
const LISTED = 100_000;
/** So short that what is measured is the item, not its bytes. */
const BYTES = 2_000;

const STEPS = {
	'Get Many': { operation: 'getMany', returnAll: false },
	Download: { operation: 'download', recording: byGuid(), options: {} },
	Delete: { operation: 'delete', recording: byGuid(), requireProof: false, options: {} },
} as const;

export const items: Part = {
	letter: 'b',
	title: 'Many recordings',
	text: [
		'One execution that lists recordings, downloads them and deletes them, in milliseconds per',
		'recording. The recordings are short and not encrypted, so that key derivation does not hide',
		'the time per item.',
	].join(' '),
	async measure() {
		const measured = {
			...(await inOneExecution(COUNTS, STEPS)),
			...(await inOneExecution([LISTED], { 'Get Many': STEPS['Get Many'] })),
		};
		return {
			head: ['Recordings', ...Object.keys(STEPS), ''],
			rows: [...COUNTS, LISTED].map((count) => {
				const steps: Partial<Record<string, Figure>> = measured[count] ?? {};
				const cells = Object.keys(STEPS).map((name) =>
					steps[name] ? milliseconds(steps[name]) : '',
				);
				const figures = Object.values(steps).filter((one) => one !== undefined);
				return [count.toLocaleString('en-US'), ...cells, noise(...figures)];
			}),
		};
	},
};

/**
 * The milliseconds of each step for each recording. The service has as many recordings as the
 * largest count.
 */
async function inOneExecution(counts: readonly number[], steps: Partial<typeof STEPS>) {
	const server = await serve([{ count: Math.max(...counts), bytes: BYTES, encrypted: false }]);
	const at = await startN8nAt(server);
	try {
		const run = async (count: number) => {
			const nodes = Object.entries(steps).map(([name, parameters]) =>
				voiceAgent({ resource: 'recording', ...parameters, limit: count }, { name }),
			);
			const { execution } = await (await at.importFlow([''], nodes))();
			const done = execution.items(nodes.at(-1)?.name ?? '').length;
			if (done !== count) throw new Error(`${done} of ${count} recordings came out.`);
			at.removeFiles();
			return Object.fromEntries(
				nodes.map(({ name }) => [name, execution.nodeTimeMs(name) / count]),
			);
		};
		return await inTurns(
			ROUNDS,
			Object.fromEntries(counts.map((count) => [count, async () => await run(count)])),
		);
	} finally {
		await at.stop();
		await server.stop();
	}
}
