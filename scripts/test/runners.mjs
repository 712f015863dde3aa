/** Ways to run the tests of a stage. Each returns what became of every test. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { run } from '../command.mjs';
import { cache, nodeForN8n, root } from '../paths.mjs';

/** @typedef {import('./reporter.mjs').Outcome} Outcome */

/**
 * @typedef {object} Context
 * @property {string} stage name of the stage
 * @property {string[]} files the test files to run, from the root; all of them if there are none
 * @property {string} [logFile] receives the output, which otherwise goes to the terminal
 * @property {NodeJS.ProcessEnv} [env] for the tests
 * @property {string} [shard] such as `1/3`: only the first of three parts of the files
 * @property {string} [namePattern] a regular expression; only tests whose whole name fits it are run
 */

const results = join(cache, 'test');
/** More than that are not the noise of a busy machine. */
const MAX_FILES_AGAIN = 3;
/** A command that takes longer than that hangs: the slowest needs a tenth of it. Files of node:test have their own limit. */
const LIMIT_MS = 900_000;
const fileLimit = new URL('fileLimit.mjs', import.meta.url).href;

/**
 * Scripts of package.json that only pass or fail.
 *
 * @param {string[]} scripts
 * @returns {(context: Context) => Promise<Outcome[]>}
 */
export function checks(...scripts) {
	return async ({ logFile }) => {
		/** @type {Outcome[]} */
		const outcomes = [];
		for (const script of scripts) {
			const start = Date.now();
			const code = await run('npm', ['run', script], { logFile, limitMs: LIMIT_MS });
			const outcome = code === 0 ? 'passed' : 'failed';
			outcomes.push({ outcome, name: `npm run ${script}`, ms: Date.now() - start });
		}
		return outcomes;
	};
}

/**
 * @param {string} script of package.json, which runs jest
 * @returns {(context: Context) => Promise<Outcome[]>}
 */
export function jestTests(script) {
	return async ({ stage, files, logFile, namePattern }) => {
		const report = emptyResultFile(`${stage}.json`);
		const options = ['--json', `--outputFile=${report}`, ...files];
		if (namePattern !== undefined) options.push(`--testNamePattern=${namePattern}`);
		const args = ['run', script, '--', ...options];
		const code = await run('npm', args, { logFile, limitMs: LIMIT_MS });
		return jestOutcomesIn(report, code);
	};
}

/**
 * @param {string} report
 * @param {number} code
 * @returns {Outcome[]}
 */
function jestOutcomesIn(report, code) {
	if (!existsSync(report))
		throw new Error(`jest ended with exit code ${code} and without a result.`);

	/**
	 * @type {{ testResults: {
	 *   name: string, status: string, message: string,
	 *   assertionResults: { status: string, fullName: string, duration?: number }[],
	 * }[] }}
	 */
	const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
	const outcomes = testResults.flatMap(({ name, status, message, assertionResults }) => {
		/** @type {Outcome[]} */
		const tests = assertionResults.map((test) => ({
			outcome: jestOutcomes[test.status] ?? 'skipped',
			name: test.fullName,
			ms: test.duration,
		}));
		// A file that cannot even be loaded has no tests that could fail.
		if (status === 'failed' && !tests.some(({ outcome }) => outcome === 'failed')) {
			tests.push({ outcome: 'failed', name: relative(root, name), reason: message });
		}
		return tests;
	});
	return withExitCode(code, outcomes);
}

/** @type {Record<string, Outcome['outcome']>} */
const jestOutcomes = { passed: 'passed', failed: 'failed' };

/**
 * The node:test files of a folder, by Node 24.
 *
 * @param {string} folder
 * @param {object} [options]
 * @param {number} [options.concurrency] how many files run side by side
 * @param {boolean} [options.again] whether a file with a failed test is run once more, alone: its tests wait for real
 *   processes, which a busy machine can slow down beyond measure
 * @returns {(context: Context) => Promise<Outcome[]>}
 */
export function nodeTests(folder, { concurrency = 1, again = false } = {}) {
	return async (context) => {
		const wanted = context.files.length > 0 ? context.files : inShard(testFiles(folder), context);
		if (wanted.length === 0) return [];
		/** @param {string[]} files @param {number} sideBySide */
		const runFiles = async (files, sideBySide) =>
			await withReporter(context, async (options) => {
				const settings = ['--test', `--test-concurrency=${sideBySide}`, `--import=${fileLimit}`];
				return await run(nodeForN8n(), [...settings, ...named(context), ...files], options);
			});
		const first = await runFiles(wanted, concurrency);
		const failed = failedFiles(first, wanted);
		if (!again || failed === undefined) return first;
		console.log(`\nOnce more, alone: ${failed.join(', ')}\n`);
		return secondResults(first, await runFiles(failed, 1), failed);
	};
}

/**
 * @param {Outcome[]} outcomes
 * @param {string[]} files that were run
 * @returns {string[] | undefined} those with a failed test; nothing if there are none, too many or unknown ones
 */
function failedFiles(outcomes, files) {
	const failed = outcomes.filter(({ outcome }) => outcome === 'failed').map(fileFromRoot);
	const distinct = [...new Set(failed)];
	if (distinct.length === 0 || distinct.length > MAX_FILES_AGAIN) return undefined;
	return distinct.every((file) => files.includes(file)) ? distinct : undefined;
}

/**
 * @param {Outcome[]} first
 * @param {Outcome[]} second
 * @param {string[]} files that were run twice
 * @returns {Outcome[]} the second results of these files, with a word about the first ones
 */
function secondResults(first, second, files) {
	const failed = new Map(
		first.filter(({ outcome }) => outcome === 'failed').map((one) => [one.fullName, one]),
	);
	const again = second.map((outcome) => {
		const before = failed.get(outcome.fullName);
		failed.delete(outcome.fullName);
		const firstReason = before && outcome.outcome === 'passed' ? (before.reason ?? '') : undefined;
		return { ...outcome, firstReason };
	});
	// A file or a hook is only reported if it has failed.
	const passed = [...failed.values()].map(({ reason = '', ...one }) => ({
		...one,
		outcome: /** @type {const} */ ('passed'),
		firstReason: reason,
	}));
	return [
		...first.filter((outcome) => !files.includes(fileFromRoot(outcome))),
		...again,
		...passed,
	];
}

/** @param {Outcome} outcome */
const fileFromRoot = ({ file = '' }) => relative(root, file).replaceAll('\\', '/');

/** Every third file, or so. @param {string[]} files @param {Context} context */
function inShard(files, { shard = '1/1' }) {
	const [part = 1, parts = 1] = shard.split('/').map(Number);
	return files.filter((_file, index) => index % parts === part - 1);
}

/** @param {Context} context */
const named = ({ namePattern }) =>
	namePattern === undefined ? [] : [`--test-name-pattern=${namePattern}`];

/** @param {string} folder */
function testFiles(folder) {
	return readdirSync(join(root, folder))
		.filter((file) => /\.test\.mts$/.test(file))
		.sort()
		.map((file) => join(folder, file));
}

/**
 * The tests that a package of its own brings along, by its own `npm test`.
 *
 * @param {string} folder
 * @param {(context: Context) => Promise<Outcome[]>} [runFiles] runs single files, if `npm test` cannot
 * @returns {(context: Context) => Promise<Outcome[]>}
 */
export function packageTests(folder, runFiles) {
	return async (context) => {
		const files = context.files.map((file) => basename(file));
		if (files.length > 0 && runFiles !== undefined) return await runFiles(context);
		return await withReporter(context, async (options) => {
			const args = files.length > 0 ? ['--', ...named(context), ...files] : [];
			const cwd = join(root, folder);
			return await run('npm', ['test', ...args], { cwd, limitMs: LIMIT_MS, ...options });
		});
	};
}

/**
 * Runs node:test files and collects their outcomes through a second reporter, which NODE_OPTIONS carries
 * there: so the scripts of package.json can run as they are.
 *
 * @param {Context} context
 * @param {(options: import('../command.mjs').CommandOptions) => Promise<number>} runTests returns the exit code
 * @returns {Promise<Outcome[]>}
 */
async function withReporter({ stage, logFile, env }, runTests) {
	const file = emptyResultFile(`${stage}.jsonl`);
	const reporter = new URL('reporter.mjs', import.meta.url).href;
	const code = await runTests({
		logFile,
		env: {
			...env,
			NODE_OPTIONS: [
				process.env.NODE_OPTIONS ?? '',
				'--test-reporter=spec --test-reporter-destination=stdout',
				`--test-reporter=${reporter} --test-reporter-destination="${file.replaceAll('\\', '/')}"`,
			].join(' '),
		},
	});
	const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
	return withExitCode(
		code,
		lines.map((line) => JSON.parse(line)),
	);
}

/**
 * A command that failed without a failed test (a crash, say) must not look green.
 *
 * @param {number} code
 * @param {Outcome[]} outcomes
 * @returns {Outcome[]}
 */
function withExitCode(code, outcomes) {
	if (code === 0 || outcomes.some(({ outcome }) => outcome === 'failed')) return outcomes;
	const reason = `No test failed, but the command ended with exit code ${code}.`;
	return [...outcomes, { outcome: 'failed', name: 'the command', reason }];
}

/** @param {string} name */
function emptyResultFile(name) {
	mkdirSync(results, { recursive: true });
	const file = join(results, name);
	rmSync(file, { force: true });
	return file;
}
