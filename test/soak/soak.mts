/**
 * `npm run soak -- --calls 1000 --kills 10 --seed 1`: archives calls in a real n8n that is killed again
 * and again, while downloads, deletes and webhooks go wrong. `npm run soak -- --outage`: n8n is down for days. Ends with
 * a verdict, and with 1 if it is not good.
 */
import { readOptions } from '../../scripts/options.mjs';
import { outagesWith, survive } from './outage.mts';
import { makePlan } from './plan.mts';
import { soak } from './run.mts';
import { judge, printVerdict } from './verdict.mts';

const { values } = readOptions({
	options: {
		calls: { type: 'string' },
		kills: { type: 'string', default: '10' },
		seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
		outage: { type: 'boolean', default: false },
	},
});
const calls = Number(values.calls ?? (values.outage ? 200 : 1_000));
const [kills, seed] = [Number(values.kills), Number(values.seed)];
if (![calls, kills, seed].every((value) => Number.isInteger(value) && value >= 0)) {
	console.error('--calls, --kills and --seed are whole numbers.');
	process.exit(2);
}
const say = (line: string) => console.log(`  ${line}`);
const isGood = values.outage ? await outage(calls) : await kill({ calls, kills, seed });
process.exitCode = isGood ? 0 : 1;

async function kill(size: Parameters<typeof makePlan>[0]): Promise<boolean> {
	const options = `--calls ${calls} --kills ${kills} --seed ${seed}`;
	console.log(`The same plan again: npm run soak -- ${options}\n`);
	const verdict = judge(await soak(makePlan(size), say));
	printVerdict(verdict);
	console.log(`\nThe soak with seed ${seed} ${verdict.isGood ? 'is good.' : 'HAS FAILED.'}`);
	return verdict.isGood;
}

async function outage(count: number): Promise<boolean> {
	const outages = outagesWith(count);
	const survived = await survive(outages, say);
	for (const [index, { archived, purged, faults }] of survived.entries()) {
		const hours = outages[index]?.hours.toFixed(1);
		console.log(
			`\n${faults.length === 0 ? 'HOLDS' : 'FAILS'}  n8n was down for ${hours} hours: of ${archived + purged.length} recordings ${archived} were archived, ${purged.length} were purged and reported as lost`,
		);
		for (const line of [...faults, ...purged]) say(line);
	}
	return survived.every(({ faults }) => faults.length === 0);
}
