/**
 * The emulator and FileDecryptor for somebody who has no repository: packed as they are published,
 * and installed where their pages say.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { listen } from '../../harness/listen.mts';
import { registryAnswers } from '../../harness/standIns/npmRegistry.mts';
import { packEmulator } from '../package/packEmulator.mts';
import { copy } from './copy.mts';
import { succeedsIn } from './shell.mts';
import { TEMPORARY } from './temporary.mts';

/** With the commands that `npm install --global` installs, and with the registry. */
export const user: { env: Record<string, string>; programs: string[] } = {
	env: { npm_config_prefix: join(TEMPORARY, 'global') },
	programs: [join(TEMPORARY, 'global/bin')],
};

let emulator: string | undefined;

/** Installs the emulator so that `npx` finds it anywhere. */
export async function publishEmulator(): Promise<undefined> {
	await installsEmulator(TEMPORARY, 'npm install --global voiceagent-emulator');
	return undefined;
}

/**
 * A command that installs the emulator, from its tarball instead of the registry. What it depends
 * on comes from npm's cache if it can.
 */
export async function installsEmulator(cwd: string, command: string): Promise<void> {
	emulator ??= packEmulator(TEMPORARY);
	await succeedsIn(cwd, command.replace('voiceagent-emulator', `'${emulator}'`), {
		env: { ...user.env, npm_config_offline: 'false', npm_config_prefer_offline: 'true' },
	});
}

/**
 * Packs FileDecryptor in the copy of the repository, and gives it to a registry.
 *
 * @returns ends the registry
 */
export async function publishFileDecryptor(): Promise<() => Promise<void>> {
	const folder = join(TEMPORARY, 'published');
	mkdirSync(folder, { recursive: true });
	const args = ['pack', '--silent', '--pack-destination', folder];
	const cwd = join(copy.root, 'file-decryptor');
	// npm builds before it packs, but not where scripts are ignored, as they are here.
	execFileSync('npm', ['run', 'build'], { cwd, stdio: 'pipe' });
	const name = execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
	const server = createServer();
	const { port, close } = await listen(server);
	const registry = `http://127.0.0.1:${port}`;
	server.on('request', registryAnswers(join(folder, name), registry));
	Object.assign(user.env, {
		npm_config_registry: registry,
		npm_config_offline: 'false',
		npm_config_cache: join(TEMPORARY, 'npm-cache'),
		// It asks before it installs something, but not here.
		npm_config_yes: 'true',
	});
	return close;
}
