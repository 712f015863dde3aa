/**
 * Measures what the emulator can sustain, and prints it with the machine that it ran on. It asserts
 * nothing: figures depend on the machine and on what else that does. Load goes to loopback only.
 * With VOICEAGENT_BENCH=quick, it does little of everything, only to see that it runs.
 */
import { once } from 'node:events';
import http from 'node:http';
import os from 'node:os';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createEmulator } from '../src/index.mts';

const isQuick = process.env.VOICEAGENT_BENCH === 'quick';
const LIST = '/api/customer/recordings';
const headers = { Token: 'demo-key' };

/** What the thread with the clients is asked to do. */
interface Job {
	url: string;
	path: string;
	connections: number;
	/** Ends after so many requests, or after so long. */
	requests?: number;
	ms?: number;
}

interface Outcome {
	requests: number;
	bytes: number;
	elapsedMs: number;
	/** Of each request from sending to its last byte, ascending. */
	timesMs: number[];
}

async function get(agent: http.Agent, url: URL): Promise<number> {
	const request = http.get(url, { agent, headers });
	const [reply] = (await once(request, 'response')) as [http.IncomingMessage];
	if (reply.statusCode !== 200) throw new Error(`${url.pathname}: status ${reply.statusCode}`);
	let bytes = 0;
	reply.on('data', (chunk: Buffer) => (bytes += chunk.length));
	await once(reply, 'end');
	return bytes;
}

async function load({ url, path, connections, requests = Infinity, ms = Infinity }: Job) {
	const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
	const outcome: Outcome = { requests: 0, bytes: 0, elapsedMs: 0, timesMs: [] };
	const target = new URL(path, url);
	const begin = performance.now();
	let started = 0;
	const client = async () => {
		while (started < requests && performance.now() - begin < ms) {
			started += 1;
			const start = performance.now();
			// In one line, the sum would be read before the wait and written after it.
			const bytes = await get(agent, target);
			outcome.bytes += bytes;
			outcome.timesMs.push(performance.now() - start);
			outcome.requests += 1;
		}
	};
	await Promise.all(Array.from({ length: connections }, client));
	outcome.elapsedMs = performance.now() - begin;
	outcome.timesMs.sort((a, b) => a - b);
	agent.destroy();
	return outcome;
}

/** Clients in a thread of their own, so that they do not take the emulator's time. */
async function run(job: Job): Promise<Outcome> {
	const worker = new Worker(new URL(import.meta.url), { workerData: job });
	const [outcome] = (await once(worker, 'message')) as [Outcome];
	return outcome;
}

const at = (times: number[], share: number) => times[Math.floor((times.length - 1) * share)] ?? NaN;
const ms = (value: number) => `${value.toFixed(1)} ms`;

async function addRecordings(
	control: Awaited<ReturnType<typeof createEmulator>>['control'],
	count: number,
): Promise<void> {
	const content = Buffer.alloc(100);
	for (let left = count; left > 0; left -= 50) {
		const some = Array.from({ length: Math.min(50, left) }, () => ({ content }));
		await Promise.all(some.map((recording) => control.addRecording(recording)));
	}
}

async function main(): Promise<void> {
	const [cpu] = os.cpus();
	const memory = (os.totalmem() / 2 ** 30).toFixed();
	console.log(`${os.cpus().length} x ${cpu?.model ?? 'unknown'}, ${memory} GiB, ${os.platform()}`);
	console.log(
		`Node ${process.version}, load ${os
			.loadavg()
			.map((one) => one.toFixed(1))
			.join(' ')}`,
	);

	const startTimes: number[] = [];
	for (let times = 0; times < 5; times += 1) {
		const begin = performance.now();
		const { close } = await createEmulator();
		startTimes.push(performance.now() - begin);
		await close();
	}
	const [first = NaN, ...others] = startTimes;
	console.log(`Start: ${ms(first)} the first time, then ${ms(Math.min(...others))}`);

	const { url, control, close } = await createEmulator();
	for (const count of [10, 100]) {
		await addRecordings(control, count - control.recordings().length);
		const job = { url, path: LIST, connections: 8 };
		await run({ ...job, ms: isQuick ? 50 : 500 });
		const { requests, elapsedMs, timesMs } = await run({ ...job, ms: isQuick ? 200 : 3000 });
		const rate = (requests / elapsedMs) * 1000;
		console.log(
			`List of ${count}: ${rate.toFixed()} requests/s on 8 connections, ` +
				`median ${ms(at(timesMs, 0.5))}, 99 % within ${ms(at(timesMs, 0.99))}`,
		);
	}

	const count = isQuick ? 200 : 10_000;
	await addRecordings(control, count - control.recordings().length);
	const long = await run({ url, path: LIST, connections: 1, requests: 15 });
	console.log(
		`List of ${count.toLocaleString('en')}: median ${ms(at(long.timesMs, 0.5))}, ` +
			`${ms(at(long.timesMs, 0))} to ${ms(at(long.timesMs, 1))}, ${long.bytes / 15e6} MB`,
	);

	const sizeBytes = isQuick ? 5_000_000 : 500_000_000;
	const begin = performance.now();
	const { sessionGuid } = await control.addRecording({ format: 'wav', sizeBytes });
	console.log(`A recording of ${sizeBytes / 1e6} MB was made in ${ms(performance.now() - begin)}`);
	for (const connections of [1, 4]) {
		const path = `${LIST}/${sessionGuid}`;
		const { bytes, elapsedMs } = await run({ url, path, connections, requests: connections });
		const rate = bytes / 1e6 / (elapsedMs / 1000);
		console.log(`Download: ${rate.toFixed()} MB/s on ${connections} connection(s)`);
	}
	await close();
}

if (isMainThread) await main();
else parentPort?.postMessage(await load(workerData as Job));
