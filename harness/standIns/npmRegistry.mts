/**
 * A stand-in of the npm registry with one packed package. A proxy leads n8n and its npm to it,
 * because n8n asks another registry only with an enterprise license.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

import { fromN8n } from '../n8n/installation.mts';
import { startRemoteHost } from './remoteHost.mts';

const CONFIGURATION = fromN8n.resolve(
	'n8n/dist/modules/community-packages/community-packages.config.js',
);

/** What a registry at this address answers, by path, if it has this package alone. */
export function registryAnswers(tarball: string, url: string) {
	const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json']).toString();
	const { name, version, ...more } = JSON.parse(manifest) as Record<string, string>;
	const content = readFileSync(tarball);
	const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
	const released = { name, version, ...more, dist: { tarball: `${url}/package.tgz`, integrity } };
	const answers: Record<string, object> = {
		[`/${name}`]: {
			name,
			'dist-tags': { latest: version },
			versions: { [`${version}`]: released },
		},
		[`/${name}/${version}`]: released,
		'/package.tgz': content,
	};
	return {
		integrity,
		answer(request: IncomingMessage, response: ServerResponse) {
			const answer = answers[String(request.url)];
			response.statusCode = answer ? 200 : 404;
			response.end(answer instanceof Buffer ? answer : JSON.stringify(answer ?? {}));
		},
	};
}

export async function startNpmRegistry(tarball: string) {
	const [url = ''] = /https:[^']+(?=';)/.exec(readFileSync(CONFIGURATION, 'utf8')) ?? [];
	const { hostname } = new URL(url);
	const { integrity, answer } = registryAnswers(tarball, url);
	const { env, folder, close } = await startRemoteHost(hostname, answer);
	return {
		integrity,
		/** For the option `env` of `startN8n`. */
		env: {
			...env,
			npm_config_https_proxy: env.HTTPS_PROXY,
			npm_config_offline: 'false',
			npm_config_cache: join(folder, 'cache'),
			npm_config_cafile: env.NODE_EXTRA_CA_CERTS,
		},
		close,
	};
}
