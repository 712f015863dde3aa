/**
 * `npm run test:queue -- --calls 500 --seed 1`: archives calls with main, a webhook process and two
 * workers of the real n8n. A worker is killed, then Redis and PostgreSQL are restarted. It prints a
 * verdict, and ends with 1 if that is not good.
 */
import { missingServer } from '../../harness/standIns/servers.mts';
import { readOptions } from '../../scripts/options.mjs';
import { printVerdict } from '../soak/verdict.mts';
import { archiveInQueueMode, makeQueuePlan } from './run.mts';

const { values } = readOptions({
	options: {
		calls: { type: 'string', default: '500' },
		seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
	},
});
const [calls, seed] = [Number(values.calls), Number(values.seed)];
if (!Number.isInteger(calls) || calls < 10 || !Number.isInteger(seed) || seed < 0) {
	console.error('--calls is a whole number from 10, --seed one from 0.');
	process.exit(2);
}
const missing = missingServer('PostgreSQL', 'Redis');
if (missing) {
	console.error(`Queue mode cannot be tested: ${missing}.`);
	process.exit(1);
}
console.log(`The same plan again: npm run test:queue -- --calls ${calls} --seed ${seed}\n`);
const say = (line: string) => console.log(`  ${line}`);
const isGood = printVerdict(await archiveInQueueMode(makeQueuePlan({ calls, seed }), say));
console.log(`\nQueue mode with seed ${seed} ${isGood ? 'holds.' : 'HAS FAILED.'}`);
process.exitCode = isGood ? 0 : 1;
