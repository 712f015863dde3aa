/** The tests of test/engine. They load the changed nodes from the build. */
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/** They measure or wait for what the machine does, not the product. */
const NOT_RUN = ['eventLoop.test.mts', 'longLists.test.mts'];
const SLEEP_FACTOR = 20;
/** The year 2100. */
const MAX_TIME_MS = Date.UTC(2100, 0);
/** How many recordings of one format and length differ from each other. */
const SOUNDS = 4;

/**
 * @param {string} root the changed copy of the repository
 * @param {NodeJS.Require} require from there
 * @returns {import('./runner.mjs').Tests}
 */
export function engineTests(root, require) {
	const clock = { aheadMs: 0 };
	let loaded = 0;
	return {
		folders: ['test/engine'],
		isLeftOut: (name) => NOT_RUN.includes(name),
		prepare() {
			const standIn = import.meta.resolve('./nodeTest.mjs');
			registerHooks({
				resolve: (specifier, context, next) =>
					specifier === 'node:test'
						? { url: standIn, format: 'module', shortCircuit: true }
						: next(specifier, context),
			});
			// In the engine for expressions that n8n had before: a sandbox for each execution takes longer than the test.
			require('n8n-workflow').Expression.initExpressionEngine = async () => {};
			shortenPauses(createRequire(require.resolve('n8n-workflow')), clock);
			keepSounds();
		},
		async load(file) {
			const url = pathToFileURL(join(root, file));
			// A file is loaded anew each time.
			url.search = String((loaded += 1));
			return await import(url.href);
		},
		unload: () => void (clock.aheadMs = 0),
	};
}

/**
 * A pause is shorter than it should be, so the clock is put forward by the rest.
 *
 * @param {NodeJS.Require} require
 * @param {{ aheadMs: number }} clock
 */
function shortenPauses(require, clock) {
	const sleeping = require('@n8n/utils/sleep');
	const { sleep } = sleeping;
	const machineNow = Date.now;
	Date.now = () => machineNow() + clock.aheadMs;
	globalThis.Date = new Proxy(Date, {
		construct: (target, args, newTarget) =>
			Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
	});
	/** @param {number} ms @param {AbortSignal} [signal] */
	sleeping.sleep = async (ms, signal) => {
		const untilMs = Date.now() + ms;
		await sleep(ms / SLEEP_FACTOR, signal);
		// A change can make a pause that no clock knows.
		if (untilMs < MAX_TIME_MS) clock.aheadMs = Math.max(clock.aheadMs, untilMs - machineNow());
	};
}

/** The emulator's encoder makes a few sounds only, each of them once. */
function keepSounds() {
	/** @type {Map<string, { id: number }>} */
	const made = new Map();
	let count = 0;
	const { postMessage } = Worker.prototype;
	/** @param {{ id: number, format?: string, samples?: number }} job */
	Worker.prototype.postMessage = function (job, ...rest) {
		const key = `${job.format} ${job.samples} ${(count += 1) % SOUNDS}`;
		const known = made.get(key);
		if (known) {
			queueMicrotask(() => this.emit('message', { ...known, id: job.id }));
			return;
		}
		/** @param {{ id: number }} result */
		const keep = (result) => {
			if (result.id !== job.id) return;
			if (job.samples !== undefined) made.set(key, result);
			this.off('message', keep);
		};
		this.on('message', keep);
		postMessage.call(this, job, ...rest);
	};
}
