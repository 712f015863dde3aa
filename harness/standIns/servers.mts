/** PostgreSQL and Redis of this machine, for the tests of what n8n does with them. */
import { createRequire } from 'node:module';
import { createConnection } from 'node:net';
import { join } from 'node:path';

const HOST = '127.0.0.1';
const POSTGRES_USER = 'postgres';
const ports = { PostgreSQL: 5432, Redis: 6379 } as const;

/** What a test keeps in a server, apart from everything else there. */
export interface OwnData {
	/** Settings with which n8n keeps its data there. */
	env: Record<string, string>;
	remove(): Promise<void>;
}

interface PostgresClient {
	connect(): Promise<void>;
	query(text: string): Promise<unknown>;
	end(): Promise<void>;
}

interface RedisClient {
	scanStream(options: { match: string }): AsyncIterable<string[]>;
	del(keys: string[]): Promise<number>;
	quit(): Promise<unknown>;
}

/** n8n's own drivers. */
const fromN8n = createRequire(
	join(import.meta.dirname, '..', 'runtime', 'node_modules', 'n8n', 'package.json'),
);

/** The reason to skip a test that needs these servers, or false when all of them are there. */
export async function missingServer(
	...servers: Array<keyof typeof ports>
): Promise<string | false> {
	for (const server of servers) {
		const port = ports[server];
		if (!(await isListening(port))) return `there is no ${server} on ${HOST}:${port}`;
	}
	return false;
}

async function isListening(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = createConnection(port, HOST, () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => resolve(false));
	});
}

/**
 * Creates a database.
 *
 * @throws {Error} when there is one of that name, or PostgreSQL does not trust its user `postgres`
 */
export async function ownDatabase(name: string): Promise<OwnData> {
	await administrate(`CREATE DATABASE ${name}`);
	return {
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: HOST,
			DB_POSTGRESDB_PORT: String(ports.PostgreSQL),
			DB_POSTGRESDB_USER: POSTGRES_USER,
			DB_POSTGRESDB_DATABASE: name,
		},
		remove: async () => await administrate(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
	};
}

async function administrate(statement: string): Promise<void> {
	const { Client } = fromN8n('pg') as { Client: new (options: object) => PostgresClient };
	const client = new Client({
		host: HOST,
		port: ports.PostgreSQL,
		user: POSTGRES_USER,
		database: 'postgres',
	});
	await client.connect();
	await client.query(statement).finally(() => client.end());
}

/** A prefix for n8n's queue and everything else that it keeps in Redis. */
export function ownQueue(prefix: string): OwnData {
	return {
		env: {
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: HOST,
			QUEUE_BULL_REDIS_PORT: String(ports.Redis),
			QUEUE_BULL_PREFIX: prefix,
			N8N_REDIS_KEY_PREFIX: prefix,
		},
		async remove() {
			const { Redis } = fromN8n('ioredis') as {
				Redis: new (port: number, host: string) => RedisClient;
			};
			const client = new Redis(ports.Redis, HOST);
			for await (const keys of client.scanStream({ match: `${prefix}:*` })) {
				if (keys.length > 0) await client.del(keys);
			}
			await client.quit();
		},
	};
}
