/** What `npm test` prints at the end. */
import { duration } from '../command.mjs';

const SLOWEST = 10;

/** @typedef {import('./reporter.mjs').Outcome} Outcome */
/** @typedef {Omit<import('./pool.mjs').Job, 'stage' | 'files'>} Done a stage that has run */

/**
 * @param {Done[]} done
 * @param {{ ms: number, busyShare: number }} took how long, and how busy the processors were, from
 *   0 to 1
 * @param {string[]} facts lines about the repository
 */
export function printSummary(done, { ms, busyShare }, facts) {
	const all = inStages(done, ({ outcomes }) => outcomes);
	list('Skipped', only(all, 'skipped').map(withReason));
	list('Failed', only(all, 'failed').map(withReason));
	const flaky = inStages(done, (stage) => stage.flaky);
	list('Passed only when they ran again, alone', flaky.map(withReason));
	const slowest = all
		.filter(({ outcome }) => outcome !== 'skipped')
		.sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0))
		.slice(0, SLOWEST);
	list(
		`The ${SLOWEST} slowest tests`,
		slowest.map((test) => `${duration(test.ms ?? 0).padStart(12)}  ${test.name}`),
	);

	console.log(`\n${row('Stage', 'passed', 'failed', 'skipped', 'time')}`);
	for (const stage of done) {
		const { passed, failed, skipped } = count(stage.outcomes);
		console.log(row(stage.name, passed, failed, skipped, duration(stage.ms)));
	}
	if (facts.length > 0) console.log(['', ...facts].join('\n'));
	const busy = `${Math.round(busyShare * 100)} %`;
	console.log(`\nAll of it took ${duration(ms)}. The processors were busy for ${busy} of it.`);
	console.log(sentence(all));
}

/**
 * With the name of the stage before the name of each test.
 *
 * @param {Done[]} done
 * @param {(stage: Done) => Outcome[]} outcomesOf
 */
function inStages(done, outcomesOf) {
	return done.flatMap((stage) =>
		outcomesOf(stage).map((outcome) => ({ ...outcome, name: `${stage.name}: ${outcome.name}` })),
	);
}

/** @param {Outcome[]} outcomes */
export function sentence(outcomes) {
	const { passed, failed, skipped } = count(outcomes);
	const counts = `${passed} passed, ${failed} failed`;
	return skipped > 0 ? `${counts}, ${skipped} skipped` : counts;
}

/** @param {Outcome[]} outcomes */
export function count(outcomes) {
	return {
		passed: only(outcomes, 'passed').length,
		failed: only(outcomes, 'failed').length,
		skipped: only(outcomes, 'skipped').length,
	};
}

/**
 * @param {Outcome[]} outcomes
 * @param {Outcome['outcome']} wanted
 */
const only = (outcomes, wanted) => outcomes.filter(({ outcome }) => outcome === wanted);

/** @param {Outcome} outcome */
function withReason({ name, reason }) {
	const [line = ''] = (reason ?? '').trim().split('\n');
	return `  ${name}${line && `: ${line}`}`;
}

/**
 * @param {string} title
 * @param {string[]} lines
 */
function list(title, lines) {
	if (lines.length > 0) console.log([`\n${title}:`, ...lines].join('\n'));
}

/** @param {[string, ...(string | number)[]]} cells */
function row(...[first, ...rest]) {
	return first.padEnd(15) + rest.map((cell) => String(cell).padStart(12)).join('');
}
