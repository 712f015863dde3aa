/** The compose files of the documentation. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { HOST } from '../../harness/n8n/ports.mts';
import { parseYaml } from '../../harness/yaml.mts';

export const DOCKER = join(import.meta.dirname, '../../docs/docker');

/** The part of the Compose specification that the files use. A misspelled field is an error. */
export const Environment = z.record(z.string());
const Service = z.strictObject({
	image: z.string().regex(/^[\w/-]+:\d+(?:\.\d+)*$/),
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
export const isN8n = ({ image }: { image: string }) => image.startsWith('n8nio/n8n:');
export const isRunner = ({ image }: { image: string }) => image.startsWith('n8nio/runners:');

/** Inside of a container, every address is one of its own. A test listens on this machine only. */
const EVERY_ADDRESS = '0.0.0.0';

/** An environment as the container has it, with folders and addresses of this machine. */
export function environmentOf(
	service: z.infer<typeof Service> | undefined,
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
