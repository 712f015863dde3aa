/**
 * Sets up everything that `npm start` and `npm test` need. Steps that do not need each other run
 * side by side. Steps that are up to date are skipped, so the setup can run before every command
 * and continue after an interruption.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { duration, stopOnSignals } from './command.mjs';
import { cache } from './paths.mjs';
import { explainFailure } from './setup/failure.mjs';
import { releaseLock, takeTurn } from './setup/lock.mjs';
import { steps } from './setup/steps.mjs';

/** A step failed and the user has been told what to do. */
export class SetupError extends Error {}

/**
 * Runs all steps. Prints as it goes.
 *
 * @param {{ forTests?: boolean }} [options] `forTests: false` leaves out what only tests need
 * @throws {SetupError} when a step failed; the reason is already printed
 */
export async function setup({ forTests = true } = {}) {
	await takeTurn();
	const wanted = steps.filter((step) => forTests || !step.isForTests);
	/** @type {Map<string, Promise<unknown>>} */
	const started = new Map();
	// Counted as they end, because several run side by side.
	let ended = 0;
	const count = () => `[${(ended += 1)}/${wanted.length}]`;
	for (const step of wanted) {
		const before = step.after.map((name) => started.get(name));
		started.set(
			step.name,
			Promise.all(before).then(() => runStep(step, count)),
		);
	}
	// Steps that are under way end first: what they have done is kept.
	const results = await Promise.allSettled(started.values());
	releaseLock();
	for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/**
 * @param {import('./setup/steps.mjs').Step} step
 * @param {() => string} count says how many steps have ended
 */
async function runStep(step, count) {
	if (step.isUpToDate()) {
		console.log(`${count()} ${step.title}: up to date`);
		return;
	}
	console.log(`      ${step.title}${step.takes ? ` (${step.takes})` : ''} …`);
	const start = Date.now();
	const log = join(cache, 'logs', `${step.name}.log`);
	mkdirSync(dirname(log), { recursive: true });
	rmSync(log, { force: true });
	try {
		await step.work(log);
	} catch (error) {
		explainFailure(step, log, error);
		throw new SetupError(`${step.title}: failed`);
	}
	console.log(`${count()} ${step.title}: done in ${duration(Date.now() - start)}`);
}

/** Ends the setup when the process is told to stop. Returns a function that undoes this. */
export function stopSetupOnSignals() {
	return stopOnSignals(() => {
		releaseLock();
		console.error('\nStopped. Finished steps of the setup are kept.');
	});
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
	stopSetupOnSignals();
	try {
		await setup();
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		process.exitCode = 1;
	}
}
