import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

import { runInShell } from './shell.mts';
import { folderWith, TEMPORARY } from './temporary.mts';

/** An npm registry that has published this one package. */
export async function startRegistry(tarball: string): Promise<{ env: Record<string, string> }> {
	const content = readFileSync(tarball);
	const folder = folderWith({ 'package.tgz': content });
	await runInShell('tar -xzf package.tgz', { cwd: folder });
	const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8')) as {
		name: string;
		version: string;
	};
	const server = createServer((request, response) => {
		if (request.url === `/${manifest.name}`) {
			const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
			const dist = { tarball: `${url()}/${basename(tarball)}`, integrity };
			response.setHeader('Content-Type', 'application/json');
			response.end(
				JSON.stringify({
					name: manifest.name,
					'dist-tags': { latest: manifest.version },
					versions: { [manifest.version]: { ...manifest, dist } },
				}),
			);
		} else if (request.url === `/${basename(tarball)}`) response.end(content);
		else response.writeHead(404).end('{}');
	});
	const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	// The process of the tests may end while it listens.
	server.unref();
	const env = {
		npm_config_registry: url(),
		npm_config_offline: 'false',
		npm_config_audit: 'false',
		npm_config_prefix: join(TEMPORARY, 'global'),
		npm_config_cache: join(TEMPORARY, 'npm-cache'),
	};
	return { env };
}
