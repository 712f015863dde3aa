/**
 * `npm run test:faults`: runs the tests of each row of test/FAULTS.md, and prints what was promised
 * and what was seen. That includes tests that take too long for `npm test`.
 * `npm run test:faults -- 7 18` runs only these rows.
 */
import { stripVTControlCharacters } from 'node:util';
import { markedFiles, readTable, rowsIn, withoutRows } from './faults/table.mjs';
import { setup, SetupError, stopSetupOnSignals } from './setup.mjs';
import { runStages } from './test/pool.mjs';
import { stages } from './test/stages.mjs';

/** @typedef {import('./test/reporter.mjs').Outcome} Outcome */

const WIDTHS = [4, 40, 44, 32, 8];
/** The tests have printed the whole reason above. */
const MAX_REASON = 150;

const table = readTable();
const numbers = process.argv.slice(2).map(Number);
const unknown = numbers.filter((wanted) => !table.some(({ number }) => number === wanted));
if (unknown.length > 0) {
	console.error(`test/FAULTS.md has no row ${unknown.join(', ')}.`);
	process.exit(2);
}
const wanted = numbers.length > 0 ? table.filter((row) => numbers.includes(row.number)) : table;

stopSetupOnSignals();
try {
	await setup();
} catch (error) {
	if (!(error instanceof SetupError)) throw error;
	process.exit(1);
}
const outcomes = await runTests();

print('#', 'Fault', 'Promised', 'Seen', 'Seconds');
/** @type {Record<Seen['verdict'], number>} */
const counts = { held: 0, broken: 0, untested: 0 };
for (const row of wanted) {
	const { verdict, text, seconds } = seen(row);
	counts[verdict] += 1;
	print(String(row.number), row.fault, row.promise, text, seconds.toFixed(1));
}
console.log(
	`\n${counts.held} of ${wanted.length} promises held, ${counts.broken} broken, ${counts.untested} not tested here`,
);
process.exitCode = counts.broken > 0 || outcomes.some(isCrash) ? 1 : 0;

/** @returns {Promise<Outcome[]>} of all tests that prove one of the rows */
async function runTests() {
	const concerned = stages
		.map((stage) => ({ ...stage, files: filesOf(stage.folder) }))
		.filter(({ files }) => files.length > 0);
	const either = wanted.map(({ number }) => number).join('|');
	const namePattern = `\\[faults? ([0-9]+, )*(${either})[\\],]`;
	const done = await runStages(concerned, { namePattern, env: { VOICEAGENT_FAULTS: 'all' } });
	return done.flatMap((stage) => stage.outcomes);
}

/** @param {string | undefined} folder */
function filesOf(folder) {
	return (folder === undefined ? [] : markedFiles(folder))
		.filter(({ rows }) => wanted.some(({ number }) => rows.includes(number)))
		.map(({ file }) => file);
}

/** Of a file or a command rather than a test. @param {Outcome} outcome */
function isCrash({ outcome, name, fullName = name }) {
	return outcome === 'failed' && rowsIn(fullName).length === 0;
}

/**
 * @typedef {{ verdict: 'held' | 'broken' | 'untested', text: string, seconds: number }} Seen
 * @param {import('./faults/table.mjs').Row} row
 * @returns {Seen}
 */
function seen({ number }) {
	const tests = outcomes.filter(({ name, fullName = name }) => rowsIn(fullName).includes(number));
	const seconds = tests.reduce((sum, { ms = 0 }) => sum + ms, 0) / 1000;
	const failed = tests.filter(({ outcome }) => outcome === 'failed');
	const passed = tests.filter(({ outcome }) => outcome === 'passed').length;
	if (failed.length > 0) {
		const names = failed.map(
			({ name, reason = '' }) => `${withoutRows(name)}: ${firstLine(reason).slice(0, MAX_REASON)}`,
		);
		return { verdict: 'broken', text: `NOT as promised: ${names.join('; ')}`, seconds };
	}
	if (passed === 0) {
		const reason = tests.map((test) => test.reason).find(Boolean) ?? 'no test ran';
		return { verdict: 'untested', text: `not tested here: ${reason}`, seconds };
	}
	const text = `as promised, ${passed} ${passed === 1 ? 'test' : 'tests'}`;
	return { verdict: 'held', text, seconds };
}

/** @param {string} text */
const firstLine = (text) => String(text.split('\n', 1));

/** One row of a table, with as many lines as its longest cell needs. @param {string[]} cells */
function print(...cells) {
	const columns = cells.map((cell, index) => wrapped(plain(cell), Number(WIDTHS[index]) - 2));
	const height = Math.max(...columns.map((lines) => lines.length));
	for (let line = 0; line < height; line++) {
		const row = columns.map((lines, index) => (lines[line] ?? '').padEnd(Number(WIDTHS[index])));
		console.log(row.join('').trimEnd());
	}
}

/** Without Markdown, and without what would move the cursor. @param {string} text */
function plain(text) {
	return stripVTControlCharacters(text.replaceAll('`', ''));
}

/** @param {string} text @param {number} width */
function wrapped(text, width) {
	/** @type {string[]} */
	const lines = [];
	for (const word of text.split(/\s+/)) {
		const last = lines.at(-1);
		if (last !== undefined && last.length + 1 + word.length <= width) {
			lines[lines.length - 1] = `${last} ${word}`;
		} else {
			lines.push(word);
		}
	}
	return lines;
}
