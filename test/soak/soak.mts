/**
 * `npm run soak -- --calls 1000 --kills 10 --outages 3 --seed 1`: archives calls in a real n8n that is killed again
 * and again, while downloads, deletes and webhooks go wrong, and archive, deletes and ledger fail for minutes. Ends with a verdict, and with 1 if it is not good.
 */
import { readOptions } from '../../scripts/options.mjs';
import { makePlan } from './plan.mts';
import { soak } from './run.mts';
import { printVerdict } from './verdict.mts';

const { values } = readOptions({
	options: {
		calls: { type: 'string', default: '1000' },
		kills: { type: 'string', default: '10' },
		outages: { type: 'string', default: '3' },
		seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
	},
});
const { calls, kills, outages, seed } = Object.fromEntries(
	Object.entries(values).map(([name, value]) => [name, Number(value)]),
) as Record<keyof typeof values, number>;
if (![calls, kills, outages, seed].every((value) => Number.isInteger(value) && value >= 0)) {
	console.error('--calls, --kills, --outages and --seed are whole numbers.');
	process.exit(2);
}
console.log(
	`The same plan again: npm run soak -- --calls ${calls} --kills ${kills} --outages ${outages} --seed ${seed}\n`,
);
const plan = makePlan({ calls, kills, outages, seed });
const isGood = printVerdict(await soak(plan, (line) => console.log(`  ${line}`)));
console.log(`\nThe soak with seed ${seed} ${isGood ? 'is good.' : 'HAS FAILED.'}`);
process.exitCode = isGood ? 0 : 1;
