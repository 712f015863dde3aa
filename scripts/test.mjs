/**
 * `npm test`: sets everything up and runs every check. `npm test -- unit test/n8n/agent.test.mts` runs only these
 * stages and files, `npm test -- n8n --shard 1/3` the first third of the files of a stage. The last line says how many
 * tests passed and failed.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { duration, withHeartbeat } from './command.mjs';
import { readOptions } from './options.mjs';
import { cache, root } from './paths.mjs';
import { setup, SetupError, stopSetupOnSignals } from './setup.mjs';
import { stages } from './test/stages.mjs';
import { count, printSummary, sentence } from './test/summary.mjs';

/** How many light stages run side by side. */
const SIDE_BY_SIDE = 2;

/** @typedef {import('./test/stages.mjs').Stage} Stage */
/** @typedef {Stage & { files: string[] }} Wanted a stage with the files to run; none means all of them */

const start = Date.now();
const { values, positionals } = readOptions({
	allowPositionals: true,
	options: { shard: { type: 'string' } },
});
const wanted = wantedStages(positionals);
/** @type {import('./test/summary.mjs').Done[]} */
const done = [];

stopSetupOnSignals();
if (await setUp()) {
	const light = wanted.filter(({ isLight }) => isLight);
	if (light.length > 1) await runSideBySide(light);
	for (const stage of wanted) {
		if (light.length === 1 || !stage.isLight) await runStage(stage);
	}
}
const order = ['setup', ...stages.map(({ name }) => name)];
done.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
printSummary(done, Date.now() - start);
process.exitCode = done.some(({ outcomes }) => count(outcomes).failed > 0) ? 1 : 0;

/**
 * @param {string[]} args names of stages and paths of test files
 * @returns {Wanted[]} all stages without arguments
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
		.filter(
			(stage) => args.length === 0 || args.some((arg) => stage.name === arg || has(stage, arg)),
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

async function setUp() {
	console.log('\n=== Setup (setup) ===\n');
	return await record('setup', async () => {
		await setup();
		return [{ outcome: 'passed', name: 'setup' }];
	});
}

/**
 * Each stage prints its output once it has ended, so that they stay apart.
 *
 * @param {Wanted[]} light
 */
async function runSideBySide(light) {
	const waiting = [...light];
	/** @type {Set<string>} */
	const active = new Set();
	const work = async () => {
		for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) {
			active.add(stage.name);
			await runStage(stage, join(cache, 'test', `${stage.name}.log`));
			active.delete(stage.name);
		}
	};
	console.log(`\nSide by side: ${light.map(({ name }) => name).join(', ')}`);
	await withHeartbeat(
		() => `running: ${[...active].join(', ')}`,
		() => Promise.all(Array.from({ length: SIDE_BY_SIDE }, work)),
	);
}

/**
 * @param {Wanted} stage
 * @param {string} [logFile] receives the output, which is printed when the stage has ended
 */
async function runStage({ name, title, files, run: runTests }, logFile) {
	const headline = `\n=== ${title} (${name}) ===\n`;
	if (logFile === undefined) console.log(headline);
	else rmSync(logFile, { force: true });
	await record(
		name,
		async () => await runTests({ stage: name, files, logFile, shard: values.shard }),
		() => {
			if (logFile === undefined) return;
			console.log(headline);
			if (existsSync(logFile)) process.stdout.write(readFileSync(logFile));
		},
	);
}

/**
 * Runs a stage and keeps its result. A stage that throws has failed; the next ones still run.
 *
 * @param {string} name
 * @param {() => Promise<import('./test/reporter.mjs').Outcome[]>} work
 * @param {() => void} [showOutput]
 * @returns {Promise<boolean>} whether nothing failed
 */
async function record(name, work, showOutput = () => {}) {
	const stageStart = Date.now();
	/** @type {import('./test/reporter.mjs').Outcome[]} */
	let outcomes;
	try {
		outcomes = await work();
		showOutput();
	} catch (error) {
		showOutput();
		if (!(error instanceof SetupError)) console.error(error);
		outcomes = [{ outcome: 'failed', name, reason: String(error) }];
	}
	if (outcomes.length === 0) {
		outcomes = [{ outcome: 'failed', name, reason: 'This stage ran no test at all.' }];
	}
	const ms = Date.now() - stageStart;
	console.log(`\n--- ${name}: ${sentence(outcomes)} in ${duration(ms)}`);
	done.push({ name, outcomes, ms });
	return count(outcomes).failed === 0;
}
