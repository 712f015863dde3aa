/** An n8n that a suite kills and restarts, with the same data and at the same address. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { packedPackage, startN8n, type N8n, type N8nOptions } from '../../harness/n8n/n8n.mts';

/**
 * Starts it before the suite that it is called in, and ends it afterwards.
 *
 * @param getOptions how it is started each time
 */
export function restartableN8n(getOptions: () => N8nOptions = () => ({})) {
	let n8n: N8n;
	let userFolder: string;
	const start = async (port: number, more: Record<string, string>) => {
		const { env, ...options } = getOptions();
		const packages = [packedPackage()];
		n8n = await startN8n({ packages, ...options, userFolder, port, env: { ...env, ...more } });
	};
	before(async () => {
		userFolder = await mkdtemp(join(tmpdir(), 'voiceagent-restartable-'));
		await start(0, {});
	});
	after(async () => {
		await n8n?.stop();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
	});
	return {
		getN8n: () => n8n,
		/** @param meanwhile happens while n8n is down */
		async killAndStart(env: Record<string, string> = {}, meanwhile = async () => {}) {
			await n8n.stop({ kill: true });
			await meanwhile();
			await start(n8n.port, env);
		},
	};
}
