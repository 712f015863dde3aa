/**
 * A reporter for `node --test` that writes one JSON line per test: what `scripts/test.mjs` counts.
 *
 * @typedef {object} Outcome
 * @property {'passed' | 'failed' | 'skipped'} outcome
 * @property {string} name
 * @property {string} [fullName] with the names of the groups that the test is in
 * @property {string} [reason]
 * @property {number} [ms] how long the test took
 * @property {string} [file] that the outermost group is in
 */

/** @param {AsyncIterable<import('node:test/reporters').TestEvent>} events */
export default async function* report(events) {
	/** @type {string[]} names of the groups around the test that is reported, the outermost first */
	const groups = [];
	/** @type {Outcome[]} of the outermost group that is running */
	let outcomes = [];
	for await (const event of events) {
		if (event.type === 'test:start') groups.splice(event.data.nesting, Infinity, event.data.name);
		if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
		const outcome = outcomeOf(event.type === 'test:pass', event.data);
		if (outcome !== undefined) {
			const fullName = [...groups.slice(0, event.data.nesting), outcome.name].join(' ');
			outcomes.push({ ...outcome, fullName });
		}
		if (event.data.nesting > 0) continue;
		// Tests may lie in other files than the one that is run.
		const { file } = event.data;
		yield outcomes.map((one) => `${JSON.stringify({ ...one, file })}\n`).join('');
		outcomes = [];
	}
}

/**
 * @typedef {object} Ended the parts of `test:pass` and `test:fail` events that count
 * @property {string} name
 * @property {string} [file]
 * @property {number} nesting
 * @property {string | boolean} [skip]
 * @property {string | boolean} [todo]
 * @property {{ type?: string, duration_ms?: number, error?: Failure }} details
 *
 * @typedef {{ cause?: unknown, failureType?: string }} Failure
 */

/**
 * @param {boolean} passed
 * @param {Ended} data
 * @returns {Outcome | undefined} nothing for a group that only sums up its tests
 */
function outcomeOf(passed, { name, file, nesting, skip, todo, details }) {
	if (skip !== undefined || todo !== undefined) {
		const reason = [skip, todo].find((value) => typeof value === 'string');
		return { outcome: 'skipped', name, reason };
	}
	if (!passed) {
		const cause = details.error?.cause;
		const failureType = details.error?.failureType;
		// Its tests are reported by themselves; a failed hook is not.
		if (details.type === 'suite' && failureType === 'subtestsFailed') return undefined;
		const reason = cause instanceof Error ? cause.message : undefined;
		return { outcome: 'failed', name, reason, ms: details.duration_ms };
	}
	if (details.type === 'suite') return undefined;
	// node:test itself reports a file only if the file crashed or ran nothing.
	if (nesting === 0 && file?.endsWith(name)) {
		return { outcome: 'failed', name, reason: 'The file ran no test.' };
	}
	return { outcome: 'passed', name, ms: details.duration_ms };
}
