/** Starts n8n, or one of the processes that queue mode adds, with a folder and packages. */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installFiles } from './communityPackage.mts';
import { copyEmptyDatabase } from './emptyDatabase.mts';
import { N8nProcess, type Command } from './process.mts';
import { externalRunner } from './taskRunner.mts';

export interface N8nOptions {
	/** Where n8n keeps its data. By default a temporary folder that `stop()` removes. */
	userFolder?: string;
	/** Port on 127.0.0.1; 0, the default, picks a free one. */
	port?: number;
	/** More environment variables for n8n. They win over the driver's own. */
	env?: Record<string, string>;
	/** Packed packages (`npm pack`) to install as n8n installs community packages. */
	packages?: string[];
	/** Sees each line that n8n prints. */
	log?: (line: string) => void;
	/** Where n8n keeps files: on disk (n8n's default), in memory (`default`) or in its database. */
	binaryMode?: 'filesystem' | 'default' | 'database';
	/** Folders that the Read/Write Files node may use. */
	allowedPaths?: string[];
	/** Whether n8n has its editor, which takes a third of a start. By default it has not. */
	editor?: boolean;
	/**
	 * Who executes the code of Code nodes: a child of n8n (`internal`), a runner that the driver
	 * starts beside it (`external`), or nobody (`missing`). The variable TASK_RUNNER sets the default
	 * for all tests; without it, that is `internal`, as in n8n.
	 */
	taskRunner?: 'internal' | 'external' | 'missing';
}

const defaultTaskRunner = process.env.TASK_RUNNER === 'external' ? 'external' : 'internal';

export interface Launched {
	n8nProcess: N8nProcess;
	userFolder: string;
	/** Ends the process, at once with `kill`, and removes its folder if that is a temporary one. */
	stop(options?: { kill?: boolean }): Promise<void>;
}

/**
 * Starts a process of n8n, in a temporary folder unless the options name one.
 *
 * @throws {Error} with its last log lines, when the port is taken or it does not become ready
 */
export async function launch(command: Command, options: N8nOptions): Promise<Launched> {
	const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-')));
	const removeFolder = () => {
		process.off('exit', removeFolder);
		if (options.userFolder !== undefined) return;
		rmSync(userFolder, { recursive: true, force: true, maxRetries: 3 });
	};
	// In case this process ends without stop().
	process.on('exit', removeFolder);
	try {
		const { binaryMode, allowedPaths, editor = false } = options;
		const { N8N_RUNNERS_MODE: asked, N8N_RUNNERS_AUTH_TOKEN: token } = options.env ?? {};
		const mode = options.taskRunner ?? (asked === 'external' ? asked : defaultTaskRunner);
		const runner = mode === 'internal' ? undefined : await externalRunner(token);
		const env = {
			...(binaryMode && { N8N_DEFAULT_BINARY_DATA_MODE: binaryMode }),
			...(allowedPaths && { N8N_RESTRICT_FILE_ACCESS_TO: allowedPaths.join(';') }),
			N8N_DISABLE_UI: String(!editor),
			...runner?.env,
			...options.env,
		};
		await mkdir(userFolder, { recursive: true });
		await copyEmptyDatabase(userFolder, env);
		for (const tarball of options.packages ?? []) await installFiles(userFolder, tarball);
		const n8nProcess = await N8nProcess.start({
			command,
			userFolder,
			port: options.port ?? 0,
			env,
			log: options.log ?? (() => {}),
		});
		const stop: Launched['stop'] = async ({ kill = false } = {}) => {
			if (kill) n8nProcess.kill();
			await n8nProcess.stop();
			await runner?.stop();
			removeFolder();
		};
		// A process for webhooks executes nothing, and lets no runner in.
		if (mode === 'external' && command !== 'webhook') {
			const timeZone = options.env?.GENERIC_TIMEZONE ?? process.env.GENERIC_TIMEZONE;
			await runner?.start(timeZone).catch(async (error: unknown) => {
				await stop();
				throw error;
			});
		}
		return { n8nProcess, userFolder, stop };
	} catch (error) {
		removeFolder();
		throw error;
	}
}

/** A process of n8n in queue mode that has no editor. */
export interface QueueProcess extends Pick<Launched, 'stop'> {
	readonly url: string;
	readonly pid: number;
}

/**
 * Adds a process to an n8n in queue mode that {@link startN8n} has started: `webhook` takes the
 * production webhooks, `worker` runs the executions. It needs the same settings and packages.
 *
 * @throws {Error} with its last log lines, when the port is taken or it does not become ready
 */
export async function startQueueProcess(
	command: 'webhook' | 'worker',
	options: N8nOptions,
): Promise<QueueProcess> {
	const { n8nProcess, stop } = await launch(command, options);
	return { url: n8nProcess.url, pid: n8nProcess.pid, stop };
}
