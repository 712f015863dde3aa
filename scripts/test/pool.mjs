/**
 * Runs stages as one queue of jobs, several side by side: most of them wait for servers and clocks
 * most of the time.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { duration, withHeartbeat } from '../command.mjs';
import { cache, root } from '../paths.mjs';
import { count, sentence } from './summary.mjs';

const SIDE_BY_SIDE = availableParallelism() + 2;
/** More than that are not the noise of a busy machine. */
const MOST_AGAIN = 5;

/**
 * @typedef {import('./reporter.mjs').Outcome} Outcome
 * @typedef {import('./runners.mjs').Context} Context
 *
 * @typedef {import('./stages.mjs').Stage & { files: string[] }} Wanted its files; none means all
 * @typedef {Partial<Pick<Context, 'env' | 'namePattern'>> & { shard?: string }} Settings
 *
 * @typedef {object} Job a stage, or one of its files
 * @property {Wanted} stage
 * @property {string} name
 * @property {string[]} files none means all of the stage
 * @property {Outcome[]} outcomes of the last try
 * @property {Outcome[]} flaky what failed in the first try, and not in the second
 * @property {number} ms how long it took
 */

/**
 * @param {Wanted[]} wanted
 * @param {Settings} [settings] `shard` such as `1/3`: only the first of three parts of the files
 * @returns {Promise<import('./summary.mjs').Done[]>} in the same order
 */
export async function runStages(wanted, settings = {}) {
	const jobs = wanted.flatMap((stage) => jobsOf(stage, settings.shard));
	const [only] = jobs;
	if (jobs.length === 1 && only !== undefined) await runJob(only, settings);
	else await runSideBySide(jobs, settings);

	const failed = jobs.filter(({ stage, outcomes }) => stage.again && count(outcomes).failed > 0);
	if (failed.length <= MOST_AGAIN) for (const job of failed) await runAgain(job, settings);

	return wanted.map((stage) => {
		const own = jobs.filter((job) => job.stage === stage);
		return {
			name: stage.name,
			outcomes: own.flatMap(({ outcomes }) => outcomes),
			flaky: own.flatMap(({ flaky }) => flaky),
			ms: own.reduce((sum, { ms }) => sum + ms, 0),
		};
	});
}

/** @param {Wanted} stage @param {string} [shard] @returns {Job[]} */
function jobsOf(stage, shard = '1/1') {
	const job = { stage, name: stage.name, outcomes: [], flaky: [], ms: 0 };
	if (!stage.isByFile || stage.folder === undefined) return [{ ...job, files: stage.files }];
	const [part = 1, parts = 1] = shard.split('/').map(Number);
	const all = testFiles(stage.folder).filter((_file, index) => index % parts === part - 1);
	return (stage.files.length > 0 ? stage.files : all).map((file) => ({
		...job,
		files: [file],
		name: `${stage.name}/${basename(file).replace(/\.test\.mts$/, '')}`,
	}));
}

/** @param {string} folder */
function testFiles(folder) {
	const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.test.mts'));
	return files.sort().map((file) => `${folder}/${file}`);
}

/**
 * Each job prints its output once it has ended, so that outputs stay apart. Jobs that wait begin
 * first.
 *
 * @param {Job[]} jobs
 * @param {Settings} settings
 */
async function runSideBySide(jobs, settings) {
	const queue = jobs.toSorted((a, b) => Number(b.stage.waits ?? 0) - Number(a.stage.waits ?? 0));
	/** @type {Set<string>} */
	const running = new Set();
	let ended = 0;
	const work = async () => {
		for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
			running.add(job.name);
			await runJob(job, settings, join(cache, 'test', `${fileName(job)}.log`));
			running.delete(job.name);
			ended += 1;
		}
	};
	await withHeartbeat(
		() => `${ended} of ${jobs.length} done, running: ${[...running].join(', ')}`,
		() => Promise.all(Array.from({ length: SIDE_BY_SIDE }, work)),
	);
}

/** @param {Job} job */
const fileName = ({ name }) => name.replace('/', '-');

/**
 * Runs a job and keeps what became of it. One that throws has failed; the others still run.
 *
 * @param {Job} job
 * @param {Settings} settings
 * @param {string} [logFile] receives the output, which is printed when the job has ended
 */
async function runJob(job, { env, namePattern }, logFile) {
	const { stage, name, files } = job;
	const headline = `\n=== ${stage.title} (${name}) ===\n`;
	if (logFile === undefined) console.log(headline);
	else rmSync(logFile, { force: true });
	const start = Date.now();
	/** @type {unknown} */
	let thrown;
	try {
		job.outcomes = await stage.run({ name: fileName(job), files, logFile, env, namePattern });
	} catch (error) {
		thrown = error;
		job.outcomes = [{ outcome: 'failed', name, reason: String(error) }];
	}
	job.ms += Date.now() - start;
	if (logFile !== undefined) {
		console.log(headline);
		if (existsSync(logFile)) process.stdout.write(readFileSync(logFile));
	}
	if (thrown !== undefined) console.error(thrown);
	if (job.outcomes.length === 0 && namePattern === undefined) {
		job.outcomes = [{ outcome: 'failed', name, reason: 'No test ran at all.' }];
	}
	console.log(`\n--- ${name}: ${sentence(job.outcomes)} in ${duration(Date.now() - start)}`);
}

/**
 * A failure may come from a busy machine.
 *
 * @param {Job} job
 * @param {Settings} settings
 */
async function runAgain(job, settings) {
	console.log(`\nOnce more, alone: ${job.name}`);
	const failed = job.outcomes.filter(({ outcome }) => outcome === 'failed');
	await runJob(job, settings);
	const failedAgain = job.outcomes
		.filter(({ outcome }) => outcome === 'failed')
		.map(({ fullName }) => fullName);
	job.flaky = failed.filter(({ fullName }) => !failedAgain.includes(fullName));
}
