/** The compose files of the documentation. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { HOST } from '../../harness/n8n/ports.mts';
import { parseYaml } from '../../harness/yaml.mts';

export const DOCKER = join(import.meta.dirname, '../../docs/docker');

/** The part of the Compose specification that the files use. A misspelled field is an error. */
const Environment = z.record(z.string());
const Service = z.strictObject({
	image: z
		.string()
		.regex(/^[\w/-]+:\d+(?:\.\d+)*$/)
		.optional(),
	/** From the Dockerfile of the folder: n8n with the package. */
	build: z.literal('.').optional(),
	restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
	command: z.string().optional(),
	ports: z.array(z.string().regex(/^(?:127\.0\.0\.1:)?\d+:\d+$/)).optional(),
	environment: Environment.optional(),
	volumes: z.array(z.string().regex(/^[\w./-]+:\/[\w./-]+$/)).default([]),
	depends_on: z
		.union([
			z.array(z.string()),
			z.record(z.strictObject({ condition: z.literal('service_healthy') })),
		])
		.optional(),
	healthcheck: z
		.strictObject({ test: z.array(z.string()), interval: z.string(), retries: z.number() })
		.optional(),
});
type Service = z.infer<typeof Service>;
const Compose = z.strictObject({
	'x-n8n': z.unknown().optional(),
	'x-runner': z.unknown().optional(),
	'x-runner-environment': z.unknown().optional(),
	services: z.record(Service),
	volumes: z.record(z.null()),
});

/** Not the default of n8n. */
export const TIME_ZONE = 'Asia/Kolkata';

export async function compose(name: string) {
	return Compose.parse(parseYaml(await readFile(join(DOCKER, name), 'utf8')));
}

/** The services that are n8n, and those that are its task runners. */
export const isN8n = ({ build }: Service) => build === '.';
export const isRunner = ({ image }: Service) => image?.startsWith('n8nio/runners:') === true;

/** Inside of a container, every address is one of its own. A test listens on this machine only. */
const EVERY_ADDRESS = '0.0.0.0';

/** An environment as the container has it, with folders and addresses of this machine. */
export function environmentOf(
	service: Service | undefined,
	replace: Record<string, string>,
): Record<string, string> {
	const environment: Record<string, string> = {};
	for (const [name, value] of Object.entries(service?.environment ?? {})) {
		// A variable that its user has to set.
		const entered = name === 'GENERIC_TIMEZONE' ? TIME_ZONE : 'a-long-random-text';
		let text = value.replace(/\$\{\w+:\?[^}]*\}/, entered);
		for (const [from, to] of Object.entries(replace)) text = text.replaceAll(from, to);
		if (text === EVERY_ADDRESS) text = HOST;
		environment[name] = text;
	}
	return environment;
}
