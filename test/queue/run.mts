/** Calls end in queue mode while a worker, Redis and PostgreSQL go down, one after the other. */
import { setTimeout as sleep } from 'node:timers/promises';

import { startFleet, type Fleet } from '../../harness/fleet.mts';
import { folderArchive } from '../../harness/standIns/archives.mts';
import { readExecutions } from '../soak/database.mts';
import { makePlan, type PlannedCall } from '../soak/plan.mts';
import type { Result } from '../soak/run.mts';
import { watchedService, type Service } from '../soak/service.mts';
import { PATIENCE_MS, soakSweep, sweepAll } from '../soak/sweep.mts';

const PROGRESS_MS = 10_000;
/** How long a server is down. n8n ends itself when Redis is away for more than ten seconds. */
const DOWN_MS = 2_000;
/** How long the recording of the killed worker takes, so that it is cut off. */
const HELD_MS = 60_000;
/** What n8n says of an execution whose worker is gone. */
const GIVEN_UP = 'failed to be processed too many times';
/** n8n notices that a worker is gone in seconds, not in minutes. */
const SHORT_LOCKS = {
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

const disturbances = ['kill a worker', 'restart Redis', 'restart PostgreSQL'] as const;
type Disturbance = (typeof disturbances)[number];

interface QueuePlan {
	calls: PlannedCall[];
	/** What happens after which call. */
	disturbances: Array<{ afterCall: number; what: Disturbance }>;
}

/**
 * Calls with recordings, and what goes down while they end, at even distances. The same seed gives
 * the same plan.
 */
export function makeQueuePlan({ calls, seed }: { calls: number; seed: number }): QueuePlan {
	const plan = makePlan({ calls, kills: 0, seed });
	return {
		calls: plan.calls.map((call) => ({
			...call,
			pauseMs: call.pauseMs / 4,
			recording: call.recording ?? { format: 'opus', sizeBytes: 20_000, isEncrypted: true },
			// What goes wrong with single calls is left to the soak.
			lateMs: 0,
			webhook: { isLost: false, isReordered: false },
			faults: [],
		})),
		disturbances: disturbances.map((what, index) => ({
			what,
			afterCall: Math.floor((calls * (index + 1)) / (disturbances.length + 1)),
		})),
	};
}

/** @param say is told how far it is */
export async function archiveInQueueMode(
	plan: QueuePlan,
	say: (line: string) => void,
): Promise<Result> {
	const archive = await folderArchive();
	/** The place of the worker that has begun an execution, until it has ended. */
	const running = new Map<number, number>();
	let fleet: Fleet | undefined;
	let service: Service | undefined;
	const progress = () => say(String(service?.progress()));
	let timer: NodeJS.Timeout | undefined;
	try {
		fleet = await startFleet({
			workers: 2,
			env: { ...SHORT_LOCKS, N8N_CONCURRENCY_PRODUCTION_LIMIT: '5' },
			allowedPaths: archive.n8n.allowedPaths,
			log(line, process) {
				const [, what, id] = /Worker (started|finished) execution (\d+)/.exec(line) ?? [];
				const [, worker] = /^worker (\d+)$/.exec(process) ?? [];
				if (what === undefined || worker === undefined) return;
				if (what === 'started') running.set(Number(id), Number(worker) - 1);
				else running.delete(Number(id));
			},
		});
		const { stack, postgres, redis } = fleet;
		const { n8n, credentials, emulator } = stack;
		const { control } = emulator;
		const archiveId = await n8n.importWorkflow(archive.configured(), credentials);
		await n8n.activate(archiveId);
		const sweepId = await n8n.importWorkflow(soakSweep(archiveId), credentials);
		await n8n.activate(sweepId);
		const webhookUrl = await fleet.webhookUrl(archiveId, 'When a call ends');
		service = watchedService(emulator, archive.folder, webhookUrl);

		timer = setInterval(progress, PROGRESS_MS);

		const act: Record<Disturbance, (call: PlannedCall) => Promise<void>> = {
			'kill a worker': async ({ sessionGuid }) => {
				const killed = await workerOf(await executionOf(sessionGuid));
				await fleet?.workers[killed]?.stop({ kill: true });
				await fleet?.start('worker');
			},
			'restart Redis': async () => await redis.restart(DOWN_MS),
			'restart PostgreSQL': async () => await postgres.restart(DOWN_MS),
		};

		/** The execution that a webhook has started: n8n stores what it begins with. */
		async function executionOf(sessionGuid: string): Promise<number> {
			return await eventually(`an execution for ${sessionGuid}`, async () => {
				const [row] = await postgres.query(
					'SELECT "executionId" FROM execution_data WHERE data LIKE $1',
					[`%${sessionGuid}%`],
				);
				return row && Number(row.executionId);
			});
		}
		async function workerOf(execution: number): Promise<number> {
			const what = `a worker that runs the execution ${execution}`;
			return await eventually(what, () => running.get(execution));
		}

		let disturbing = Promise.resolve();
		let disturbedMs = 0;
		for (const [index, call] of plan.calls.entries()) {
			await sleep(call.pauseMs);
			const next = plan.disturbances.find(({ afterCall }) => afterCall === index);
			if (next?.what === 'kill a worker') {
				const match = { endpoint: 'downloadRecording', sessionGuid: call.sessionGuid } as const;
				control.addFault({ match, times: 1, fault: { kind: 'delay', ms: HELD_MS } });
			}
			await service.callEnds(call);
			if (!next) continue;
			// One after the other, while calls go on ending.
			await disturbing;
			say(next.what);
			disturbing = act[next.what](call).finally(() => (disturbedMs = Date.now()));
			// It is awaited later.
			disturbing.catch(() => undefined);
		}
		await disturbing;
		// It refuses everything until it has noticed that its database is back.
		const isReady = async () => (await fetch(`${n8n.url}/healthz/readiness`)).ok || undefined;
		await eventually('an n8n with its database', isReady);
		await service.settled();

		const idle = async () =>
			void (await eventually('an empty queue', async () => {
				if ((await redis.openJobs()) > 0) return undefined;
				await sleep(1_000);
				return (await redis.openJobs()) === 0 || undefined;
			}));
		await sweepAll(control, n8n, sweepId, idle);
		progress();

		const given = await postgres.query(
			`SELECT "executionId" AS id FROM execution_data WHERE data LIKE '%${GIVEN_UP}%'`,
		);
		const givenUp = new Set(given.map(({ id }) => Number(id)));
		const executions = (await readExecutions(postgres.query)).map((one) => {
			// n8n needs hours to end what it could neither queue nor note, and what was killed.
			const isLost = /^(new|running)$/.test(one.status) && one.startedMs < disturbedMs;
			return isLost || givenUp.has(one.id) ? { ...one, status: 'crashed' } : one;
		});
		return {
			plan,
			executions,
			files: await archive.files(),
			recordings: control.recordings(),
			...service.seen,
		};
	} finally {
		clearInterval(timer);
		service?.close();
		await fleet?.stop();
		await archive.close();
	}
}

async function eventually<T>(
	what: string,
	find: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
	const deadline = Date.now() + PATIENCE_MS;
	for (;;) {
		const found = await find();
		if (found !== undefined) return found;
		if (Date.now() > deadline) throw new Error(`There is not ${what}.`);
		await sleep(100);
	}
}
