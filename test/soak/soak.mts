/**
 * `npm run soak -- --calls 1000 --kills 10 --outages 3 --seed 1`: archives calls in a real n8n that
 * is killed again and again. Meanwhile, downloads, deletes and webhooks go wrong, and the archive,
 * all deletes or the ledger fail for minutes. It prints a verdict, and ends with 1 if that is not
 * good.
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
const calls = Number(values.calls);
const kills = Number(values.kills);
const outages = Number(values.outages);
const seed = Number(values.seed);
if (![calls, kills, outages, seed].every((value) => Number.isInteger(value) && value >= 0)) {
	console.error('--calls, --kills, --outages and --seed are whole numbers.');
	process.exit(2);
}
const options = `--calls ${calls} --kills ${kills} --outages ${outages} --seed ${seed}`;
console.log(`The same plan again: npm run soak -- ${options}\n`);
const plan = makePlan({ calls, kills, outages, seed });
const isGood = printVerdict(await soak(plan, (line) => console.log(`  ${line}`)));
console.log(`\nThe soak with seed ${seed} ${isGood ? 'is good.' : 'HAS FAILED.'}`);
process.exitCode = isGood ? 0 : 1;
