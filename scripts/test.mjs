/**
 * `npm test`: sets everything up and runs every check. `npm test -- unit test/n8n/agent.test.mts`
 * runs only these stages and files, `npm test -- n8n --shard 1/3` the first third of the files of a
 * stage. The last line says how many tests passed and failed.
 */
import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { readOptions } from './options.mjs';
import { root } from './paths.mjs';
import { setup, SetupError, stopSetupOnSignals } from './setup.mjs';
import { runStages } from './test/pool.mjs';
import { busyShareSince, processorTimes } from './test/processors.mjs';
import { stages } from './test/stages.mjs';
import { count, printSummary } from './test/summary.mjs';
import { totals } from './test/totals.mjs';

/** @typedef {import('./test/stages.mjs').Stage} Stage */
/** @typedef {import('./test/pool.mjs').Wanted} Wanted */

const start = Date.now();
const timesAtStart = processorTimes();
const { values, positionals } = readOptions({
	allowPositionals: true,
	options: { shard: { type: 'string' } },
});
const wanted = wantedStages(positionals);

stopSetupOnSignals();
const done = [await setUp()];
if (count(done.flatMap(({ outcomes }) => outcomes)).failed === 0) {
	done.push(...(await runStages(wanted, values)));
}
const isWhole = positionals.length === 0 && values.shard === undefined;
const busyShare = busyShareSince(timesAtStart);
printSummary(done, { ms: Date.now() - start, busyShare }, isWhole ? totals() : []);
process.exitCode = done.some(({ outcomes }) => count(outcomes).failed > 0) ? 1 : 0;

/**
 * @param {string[]} args names of stages and paths of test files
 * @returns {Wanted[]} without arguments, all stages that are not rare
 */
function wantedStages(args) {
	const unknown = args.filter(
		(arg) => !stages.some((stage) => stage.name === arg || has(stage, arg)),
	);
	if (unknown.length > 0) {
		const names = stages.map(({ name }) => name).join(', ');
		console.error(`There is no stage or test file "${unknown.join('", "')}". Stages: ${names}.`);
		process.exit(2);
	}
	return stages
		.filter((stage) =>
			args.length === 0
				? stage.isRare !== true
				: args.some((arg) => stage.name === arg || has(stage, arg)),
		)
		.map((stage) => ({
			...stage,
			files: args.includes(stage.name)
				? []
				: args.filter((arg) => has(stage, arg)).map((arg) => fromRootPath(arg)),
		}));
}

/**
 * @param {Stage} stage
 * @param {string} file
 */
function has({ folder }, file) {
	return (
		folder !== undefined &&
		/\.test\.m?ts$/.test(file) &&
		fromRootPath(file).startsWith(`${folder}/`) &&
		existsSync(resolve(root, file))
	);
}

/** With slashes, as the stages name their folders. @param {string} path */
function fromRootPath(path) {
	return relative(root, resolve(root, path)).replaceAll(sep, '/');
}

/** @returns {Promise<import('./test/summary.mjs').Done>} */
async function setUp() {
	console.log('\n=== Setup (setup) ===\n');
	const ended = () => ({ name: 'setup', flaky: [], ms: Date.now() - start });
	try {
		await setup();
		return { ...ended(), outcomes: [{ outcome: 'passed', name: 'setup' }] };
	} catch (error) {
		if (!(error instanceof SetupError)) console.error(error);
		return { ...ended(), outcomes: [{ outcome: 'failed', name: 'setup', reason: String(error) }] };
	}
}
