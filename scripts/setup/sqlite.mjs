/** Downloads the native part of the library with which n8n stores its data, or else compiles it. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeForN8n } from '../paths.mjs';
import { npm } from './npm.mjs';

export const SQLITE_BINARY = 'node_modules/sqlite3/build/Release/node_sqlite3.node';
/** Node 24 from npm carries its C headers along, which a compiler needs. */
const HEADERS = 'include/node';

/** @typedef {{ log: string, name: string }} Options */

/** @param {string} folder an installation of n8n @param {Options} options */
export async function rebuildSqlite(folder, options) {
	const node = join(nodeForN8n(), '..', '..');
	// For make and its shell, a path ends at a space, and other characters have meanings, too.
	if (process.platform === 'win32' || /^[\w./-]+$/.test(folder)) {
		await rebuild(folder, node, options);
		return;
	}
	const place = mkdtempSync(join(tmpdir(), 'sqlite3-'));
	const modules = join(folder, 'node_modules');
	const bin = join(place, 'node_modules/.bin');
	try {
		mkdirSync(bin, { recursive: true });
		// What is named in the Makefile.
		for (const name of ['sqlite3', 'node-addon-api', 'node-gyp']) {
			cpSync(join(modules, name), join(place, 'node_modules', name), { recursive: true });
		}
		if (existsSync(join(node, HEADERS))) {
			cpSync(join(node, HEADERS), join(place, 'node', HEADERS), { recursive: true });
		}
		symlinkSync('../node-gyp/bin/node-gyp.js', join(bin, 'node-gyp'));
		symlinkSync(join(modules, 'prebuild-install/bin.js'), join(bin, 'prebuild-install'));
		// What these tools need is still there.
		const env = { NODE_PATH: modules };
		await rebuild(place, join(place, 'node'), { ...options, env });
		cpSync(join(place, SQLITE_BINARY), join(folder, SQLITE_BINARY));
	} finally {
		rmSync(place, { recursive: true, force: true });
	}
}

/**
 * @param {string} cwd
 * @param {string} node
 * @param {Options & { env?: NodeJS.ProcessEnv }} options
 */
async function rebuild(cwd, node, { env, ...options }) {
	const hasHeaders = existsSync(join(node, HEADERS, 'node_api.h'));
	// Install scripts are off (.npmrc); this is the only one that n8n cannot do without.
	await npm(['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'], {
		...options,
		cwd,
		env: { ...env, ...(hasHeaders && { npm_config_nodedir: node }) },
	});
}
