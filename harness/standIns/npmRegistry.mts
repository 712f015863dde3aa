/** A stand-in for the npm registry with one packed package. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers requests as a registry at this address does, if it has this package alone. */
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
	return (request: IncomingMessage, response: ServerResponse): void => {
		const answer = answers[String(request.url)];
		response.statusCode = answer ? 200 : 404;
		response.end(answer instanceof Buffer ? answer : JSON.stringify(answer ?? {}));
	};
}
