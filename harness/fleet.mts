/**
 * n8n in queue mode, and an emulated service. The main process, one for webhooks and the workers
 * have a PostgreSQL and a Redis of their own, and the packed package.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
	packedPackage,
	startQueueProcess,
	type N8nOptions,
	type QueueProcess,
} from './n8n/n8n.mts';
import { startStack, type Stack } from './stack.mts';
import {
	startPostgres,
	startRedis,
	type PostgresServer,
	type RedisServer,
} from './standIns/servers.mts';

export interface FleetOptions {
	/** By default 1. */
	workers?: number;
	/** For all processes. By default, they share a folder for files. */
	env?: Record<string, string>;
	allowedPaths?: string[];
	/** Sees each line that a process prints: main, webhook, worker 1, worker 2 and so on. */
	log?: (line: string, process: string) => void;
}

export interface Fleet {
	/** Main, and the service. */
	stack: Stack;
	webhooks: QueueProcess;
	/** All that were started, by their number in the log. */
	workers: readonly QueueProcess[];
	postgres: PostgresServer;
	redis: RedisServer;
	/** @param env more settings, for this one */
	start(command: 'webhook' | 'worker', env?: Record<string, string>): Promise<QueueProcess>;
	/** The production address of a trigger, at the first process for webhooks. */
	webhookUrl(workflowId: string, trigger: string): Promise<string>;
	stop(): Promise<void>;
}

/** @throws {Error} when PostgreSQL or Redis is not installed, or a process does not become ready */
export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
	/** How to end what is running, the last one first. */
	const ends: Array<() => Promise<void>> = [];
	const stop = async () => {
		for (const end of ends.splice(0).toReversed()) await end();
	};
	try {
		const storage = await mkdtemp(join(tmpdir(), 'voiceagent-storage-'));
		ends.push(async () => await rm(storage, { recursive: true, force: true }));
		const postgres = await startPostgres();
		ends.push(postgres.stop);
		const redis = await startRedis();
		ends.push(redis.stop);
		const optionsOf = (process: string, env?: Record<string, string>): N8nOptions => ({
			packages: [packedPackage()],
			binaryMode: 'filesystem',
			allowedPaths: options.allowedPaths,
			env: {
				N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
				N8N_ENCRYPTION_KEY: 'the same in all processes',
				N8N_STORAGE_PATH: storage,
				...options.env,
				...postgres.env,
				...redis.env,
				...env,
			},
			log: (line) => options.log?.(line, process),
		});
		// First, because it sets up the database.
		const stack = await startStack({ n8n: optionsOf('main') });
		ends.push(stack.stop);

		const workers: QueueProcess[] = [];
		let named = 0;
		const start: Fleet['start'] = async (command, env) => {
			const place = command === 'worker' ? named++ : undefined;
			const name = place === undefined ? command : `worker ${place + 1}`;
			const started = await startQueueProcess(command, optionsOf(name, env));
			ends.push(async () => await started.stop());
			// Several that start at once become ready in any order.
			if (place !== undefined) workers[place] = started;
			return started;
		};
		const count = options.workers ?? 1;
		const [webhooks] = await Promise.all([
			start('webhook'),
			...Array.from({ length: count }, async () => await start('worker')),
		]);
		return {
			stack,
			webhooks,
			workers,
			postgres,
			redis,
			start,
			stop,
			async webhookUrl(workflowId, trigger) {
				const address = await stack.n8n.webhookUrl(workflowId, trigger);
				return address.replace(stack.n8n.url, webhooks.url);
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
