/** PostgreSQL and Redis for n8n in queue mode. Each server has its own port and data. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ProcessGroup } from '../../scripts/processGroup.mjs';
import { fromN8n } from '../n8n/installation.mts';
import { freePort, HOST, isListening } from '../n8n/ports.mts';

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POSTGRES_USER = 'postgres';
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

const programs = {
	PostgreSQL: { name: 'postgres', debianPackage: 'postgresql' },
	Redis: { name: 'redis-server', debianPackage: 'redis-server' },
} as const;

export interface Server {
	readonly pid: number;
	/** Settings with which n8n uses it. */
	readonly env: Record<string, string>;
	/** Ends it as the system does, and starts it again with the same port and data. */
	restart(downMs: number): Promise<void>;
	/** Ends it and removes its data. */
	stop(): Promise<void>;
}

export type Row = Record<string, unknown>;

export interface PostgresServer extends Server {
	/** A statement in n8n's database, on a connection of its own. */
	query(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface RedisServer extends Server {
	/** How many jobs wait for a worker, or are with one. */
	openJobs(): Promise<number>;
	/** Begins to read every command that reaches it. The result ends that, and returns them. */
	watch(): Promise<() => string>;
}

interface PostgresClient {
	connect(): Promise<void>;
	query(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
	end(): Promise<void>;
}

interface RedisClient {
	llen(key: string): Promise<number>;
	quit(): Promise<unknown>;
}

/**
 * The reason to skip a test that needs these servers, or false. CI has them installed, so there it
 * is always false, and to start a missing one fails.
 */
export function missingServer(...servers: Array<keyof typeof programs>): string | false {
	const missing = servers.find((server) => !programOf(server));
	return missing && !process.env.CI ? howToInstall(missing) : false;
}

function howToInstall(server: keyof typeof programs): string {
	const { name, debianPackage } = programs[server];
	return (
		`there is no ${server}: install it, on Debian and Ubuntu the package ${debianPackage} ` +
		`(${name} is not in the PATH)`
	);
}

function programOf(server: keyof typeof programs, name: string = programs[server].name) {
	const folders = String(process.env.PATH).split(delimiter);
	if (server === 'PostgreSQL' && existsSync(DEBIAN_POSTGRES)) {
		// Debian has them outside the PATH, one folder for each version.
		const versions = readdirSync(DEBIAN_POSTGRES).toSorted((a, b) => Number(b) - Number(a));
		folders.push(...versions.map((version) => join(DEBIAN_POSTGRES, version, 'bin')));
	}
	return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** @throws {Error} when PostgreSQL is not installed or does not become ready */
export async function startPostgres(): Promise<PostgresServer> {
	const account = postgresAccount();
	const env = {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: HOST,
		DB_POSTGRESDB_PORT: String(await freePort()),
		DB_POSTGRESDB_USER: POSTGRES_USER,
		DB_POSTGRESDB_DATABASE: 'postgres',
	};
	async function query(text: string, values?: readonly unknown[]): Promise<Row[]> {
		const { Client } = fromN8n('pg') as { Client: new (options: object) => PostgresClient };
		const client = new Client({
			host: HOST,
			port: env.DB_POSTGRESDB_PORT,
			user: POSTGRES_USER,
			database: env.DB_POSTGRESDB_DATABASE,
		});
		await client.connect();
		const { rows } = await client.query(text, values).finally(() => client.end());
		return rows;
	}
	const server = await startServer('PostgreSQL', env, {
		account,
		prepare(folder) {
			const initdb = programOf('PostgreSQL', 'initdb');
			if (!initdb) throw new Error(howToInstall('PostgreSQL'));
			const options = [
				'--auth=trust',
				`--username=${POSTGRES_USER}`,
				'--encoding=UTF8',
				'--no-sync',
			];
			execFileSync(initdb, [...options, '-D', folder], { stdio: 'pipe', ...account });
		},
		args: (folder) => [
			...['-D', folder, '-p', env.DB_POSTGRESDB_PORT],
			...['-c', `listen_addresses=${HOST}`, '-c', 'unix_socket_directories='],
		],
		// Ends connections, and does not wait for them.
		stopSignal: 'SIGINT',
		isReady: async () => (await query('SELECT 1')).length === 1,
	});
	return Object.assign(server, { query });
}

/** PostgreSQL refuses to run as root. */
function postgresAccount(): { uid?: number; gid?: number } {
	if (process.getuid?.() !== 0) return {};
	const id = (option: string) =>
		Number(execFileSync('id', [option, POSTGRES_USER], { encoding: 'utf8' }));
	return { uid: id('-u'), gid: id('-g') };
}

/** @throws {Error} when Redis is not installed or does not become ready */
export async function startRedis(): Promise<RedisServer> {
	const port = await freePort();
	const env = {
		EXECUTIONS_MODE: 'queue',
		QUEUE_BULL_REDIS_HOST: HOST,
		QUEUE_BULL_REDIS_PORT: String(port),
	};
	const server = await startServer('Redis', env, {
		args: (folder) => [
			...['--port', String(port), '--bind', HOST, '--dir', folder],
			// As in docs/docker/compose.queue.yml.
			...['--appendonly', 'yes'],
		],
		stopSignal: 'SIGTERM',
		isReady: async () => await isListening(port),
	});
	return Object.assign(server, {
		async watch() {
			const socket = connect(port, HOST);
			let seen = '';
			socket.on('data', (chunk: Buffer) => (seen += chunk.toString()));
			socket.write('MONITOR\r\n');
			await once(socket, 'data');
			return () => {
				socket.destroy();
				return seen;
			};
		},
		async openJobs() {
			const { Redis } = fromN8n('ioredis') as {
				Redis: new (port: number, host: string) => RedisClient;
			};
			const client = new Redis(port, HOST);
			const lengths = [await client.llen('bull:jobs:wait'), await client.llen('bull:jobs:active')];
			await client.quit();
			return lengths.reduce((sum, length) => sum + length);
		},
	});
}

interface ServerKind {
	account?: { uid?: number; gid?: number };
	prepare?(folder: string): void;
	args(folder: string): string[];
	stopSignal: NodeJS.Signals;
	isReady(): Promise<boolean>;
}

async function startServer(
	name: keyof typeof programs,
	env: Record<string, string>,
	{ account = {}, prepare, args, stopSignal, isReady }: ServerKind,
): Promise<Server> {
	const program = programOf(name);
	if (!program) throw new Error(howToInstall(name));
	const folder = await mkdtemp(join(tmpdir(), `voiceagent-${name.toLowerCase()}-`));
	if (account.uid !== undefined && account.gid !== undefined) {
		chownSync(folder, account.uid, account.gid);
	}
	let group: ProcessGroup | undefined;

	async function start(file: string): Promise<void> {
		const started = new ProcessGroup(file, args(folder), { stdio: 'ignore', ...account });
		group = started;
		const deadline = Date.now() + READY_TIMEOUT_MS;
		while (!(await isReady().catch(() => false))) {
			if (!started.isRunning || Date.now() > deadline) {
				throw new Error(`${name} does not become ready: ${file} ${args(folder).join(' ')}`);
			}
			await sleep(50);
		}
	}
	const end = async () =>
		await group?.end({ graceMs: STOP_TIMEOUT_MS, signal: stopSignal, programOnly: true });
	async function stop(): Promise<void> {
		await end();
		await rm(folder, { recursive: true, force: true });
	}

	try {
		prepare?.(folder);
		await start(program);
	} catch (error) {
		await stop();
		throw error;
	}
	return {
		env,
		get pid() {
			return group?.child.pid ?? NaN;
		},
		async restart(downMs) {
			await end();
			await sleep(downMs);
			await start(program);
		},
		stop,
	};
}
