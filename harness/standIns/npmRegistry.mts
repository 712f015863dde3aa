/**
 * A stand-in of the npm registry with one packed package, and the proxy that leads n8n and its npm to it. n8n asks another
 * registry than the one in its configuration only with a license.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createCertificate } from '../../emulator/src/certificates.mts';
import { listen } from '../listen.mts';
import { fromN8n } from '../n8n/installation.mts';
import { startProxy } from './googleDrive/proxy.mts';

const CONFIGURATION = fromN8n.resolve(
	'n8n/dist/modules/community-packages/community-packages.config.js',
);

export async function startNpmRegistry(tarball: string) {
	const [url = ''] = /https:[^']+(?=';)/.exec(readFileSync(CONFIGURATION, 'utf8')) ?? [];
	const { hostname } = new URL(url);
	const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json']).toString();
	const { name, version, ...more } = JSON.parse(manifest) as Record<string, string>;
	const content = readFileSync(tarball);
	const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
	const released = { name, version, ...more, dist: { tarball: `${url}/package.tgz`, integrity } };
	const answers: Record<string, object> = {
		[`/${name}`]: { name, versions: { [`${version}`]: released } },
		[`/${name}/${version}`]: released,
		'/package.tgz': content,
	};
	const { key, cert, caPem } = await createCertificate('valid', hostname);
	const server = createServer({ key, cert }, (request, response) => {
		const answer = answers[String(request.url)];
		response.statusCode = answer ? 200 : 404;
		response.end(answer instanceof Buffer ? answer : JSON.stringify(answer ?? {}));
	});
	const listening = await listen(server);
	const proxy = await startProxy(
		listening.port,
		new RegExp(`^${hostname.replaceAll('.', '\\.')}:443$`),
	);
	const folder = await mkdtemp(join(tmpdir(), 'npm-registry-'));
	const caFile = join(folder, 'ca.pem');
	await writeFile(caFile, caPem);
	const address = `http://127.0.0.1:${proxy.port}`;
	return {
		integrity,
		/** For the option `env` of `startN8n`. */
		env: {
			HTTPS_PROXY: address,
			npm_config_https_proxy: address,
			npm_config_offline: 'false',
			npm_config_cache: join(folder, 'cache'),
			npm_config_cafile: caFile,
			NODE_EXTRA_CA_CERTS: caFile,
		},
		async close() {
			await proxy.close();
			await listening.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
