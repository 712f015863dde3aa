/**
 * The program that executes the code of Code nodes, as a process beside n8n. In production, the
 * image n8nio/runners starts it (docs/hosting.md); here, the package that n8n itself brings along.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { END_WITH_CLIENT } from '../../scripts/endWithClient.mjs';
import { ProcessGroup } from '../../scripts/processGroup.mjs';
import { installation, nodeOfN8n } from './installation.mts';
import { freePort, HOST } from './ports.mts';

const PROGRAM = join(installation, 'node_modules', '@n8n', 'task-runner', 'dist', 'start.js');
/** As n8n and its image start it. */
const NODE_FLAGS = ['--disallow-code-generation-from-strings', '--disable-proto=delete'];
const START_TIMEOUT_MS = 120_000;
const PROBE_MS = 50;
const STOP_TIMEOUT_MS = 5_000;

/** An image with the runner, for an n8n that comes as an image itself (scripts/compat.mjs). */
const image = process.env.COMPAT_RUNNER_IMAGE;

/** What n8n must know before it starts, and the runner that connects to it afterwards. */
export interface ExternalRunner {
	/** For n8n. */
	env: Record<string, string>;
	/**
	 * Starts the runner once n8n answers.
	 *
	 * @param timeZone of the times in Code nodes, if it is not n8n's default
	 * @throws {Error} when it does not become ready
	 */
	start(timeZone?: string): Promise<void>;
	stop(): Promise<void>;
}

/** @param token that n8n and the runner share; by default a new one */
export async function externalRunner(token: string = randomUUID()): Promise<ExternalRunner> {
	const port = await freePort();
	const broker = `http://${HOST}:${port}`;
	let runner: ProcessGroup | undefined;
	return {
		env: {
			N8N_RUNNERS_MODE: 'external',
			N8N_RUNNERS_AUTH_TOKEN: token,
			N8N_RUNNERS_BROKER_PORT: String(port),
		},
		async start(timeZone) {
			const healthPort = await freePort();
			const shared = {
				...(timeZone && { GENERIC_TIMEZONE: timeZone }),
				N8N_RUNNERS_TASK_BROKER_URI: broker,
			};
			if (image === undefined) {
				runner = startProgram({
					...shared,
					N8N_RUNNERS_GRANT_TOKEN: await grantToken(broker, token),
					N8N_RUNNERS_HEALTH_CHECK_SERVER_ENABLED: 'true',
					N8N_RUNNERS_HEALTH_CHECK_SERVER_HOST: HOST,
					N8N_RUNNERS_HEALTH_CHECK_SERVER_PORT: String(healthPort),
				});
			} else {
				runner = startContainer(image, {
					...shared,
					N8N_RUNNERS_AUTH_TOKEN: token,
					N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT: String(healthPort),
				});
			}
			await untilHealthy(runner, `http://${HOST}:${healthPort}/healthz`);
		},
		async stop() {
			await runner?.end({ graceMs: STOP_TIMEOUT_MS });
		},
	};
}

/** Only what its image lets through: no secret of n8n is in the environment of the code. */
function startProgram(variables: Record<string, string>): ProcessGroup {
	const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...variables };
	return new ProcessGroup(nodeOfN8n, [...NODE_FLAGS, PROGRAM], { env, stdio: 'ignore' });
}

/** Its arguments are the name of the container, and what docker run gets. */
const CONTAINER = `
name="$0"
${END_WITH_CLIENT}
exec docker run --rm --name "$name" --network host "$@"
`;

function startContainer(from: string, variables: Record<string, string>): ProcessGroup {
	const name = `compat-runner-${randomUUID()}`;
	const env = Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
	return new ProcessGroup('/bin/sh', ['-c', CONTAINER, name, ...env, from], { stdio: 'ignore' });
}

/** What the launcher of the image does: it changes the shared token into one for a single use. */
async function grantToken(broker: string, token: string): Promise<string> {
	const response = await fetch(`${broker}/runners/auth`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ token }),
	});
	if (!response.ok) throw new Error(`n8n answered ${response.status} to its task runner.`);
	const { data } = (await response.json()) as { data: { token: string } };
	return data.token;
}

async function untilHealthy(runner: ProcessGroup, url: string): Promise<void> {
	const deadline = Date.now() + START_TIMEOUT_MS;
	for (;;) {
		const isHealthy = await fetch(url).then(
			({ ok }) => ok,
			() => false,
		);
		if (isHealthy) return;
		if (!runner.isRunning) throw new Error('The task runner ended before it was ready.');
		if (Date.now() > deadline) {
			throw new Error(`The task runner was not ready within ${START_TIMEOUT_MS / 1000} s.`);
		}
		await sleep(PROBE_MS);
	}
}
