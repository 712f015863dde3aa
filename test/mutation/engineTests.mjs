/** The tests of test/engine, for Stryker. They load the changed nodes from the build. */
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { TestsInProcess } from './testsInProcess.mjs';

/** They measure or wait for what the machine does, not the product. */
const NOT_RUN = ['eventLoop.test.mts', 'longLists.test.mts'];
const SLEEP_FACTOR = 20;
/** The year 2100. */
const MAX_TIME_MS = Date.UTC(2100, 0);
/** How many recordings of one format and length differ from each other. */
const SOUNDS = 4;

export class EngineTests extends TestsInProcess {
	/** How far the clock is put forward. */
	#aheadMs = 0;

	/** @param {string} root the changed copy of the repository */
	constructor(root) {
		super(root, {
			folder: 'test/engine',
			isTest: (name) => name.endsWith('.test.mts') && !NOT_RUN.includes(name),
			loadsAnew: ['dist'],
		});
	}

	/** @override */
	prepare() {
		const standIn = import.meta.resolve('./nodeTest.mjs');
		registerHooks({
			resolve: (specifier, context, next) =>
				specifier === 'node:test'
					? { url: standIn, format: 'module', shortCircuit: true }
					: next(specifier, context),
		});
		this.#evaluateHere();
		this.#shortenPauses();
		keepSounds();
	}

	/** In the engine for expressions that n8n had before, because a sandbox for each execution takes longer than the test. */
	#evaluateHere() {
		this.require('n8n-workflow').Expression.initExpressionEngine = async () => {};
	}

	#shortenPauses() {
		const requireFromWorkflow = createRequire(this.require.resolve('n8n-workflow'));
		const sleeping = requireFromWorkflow('@n8n/utils/sleep');
		const { sleep } = sleeping;
		const machineNow = Date.now;
		// A pause is shorter than it should be, so the clock is put forward by the rest.
		Date.now = () => machineNow() + this.#aheadMs;
		globalThis.Date = new Proxy(Date, {
			construct: (target, args, newTarget) =>
				Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
		});
		/** @param {number} ms @param {AbortSignal} [signal] */
		sleeping.sleep = async (ms, signal) => {
			const untilMs = Date.now() + ms;
			await sleep(ms / SLEEP_FACTOR, signal);
			// A change can make a pause that no clock knows.
			if (untilMs < MAX_TIME_MS) this.#aheadMs = Math.max(this.#aheadMs, untilMs - machineNow());
		};
	}

	/** @override */
	unload() {
		this.#aheadMs = 0;
	}

	/** @override @param {string} path */
	async load(path) {
		const url = pathToFileURL(path);
		url.search = `run=${this.runs}`;
		return await import(url.href);
	}
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
