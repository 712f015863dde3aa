import { join } from 'node:path';

import { isOtherVersion } from './installation.mts';
import { HOST } from './ports.mts';

/** n8n sends nothing that a workflow does not send, and listens on this machine only. */
const quietAndLocal = {
	N8N_LISTEN_ADDRESS: HOST,
	N8N_WORKER_SERVER_ADDRESS: HOST,
	N8N_HOST: HOST,
	N8N_SECURE_COOKIE: 'false',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	// Off: n8n's lists of verified packages and of MCP servers. Both are fetched from api.n8n.io.
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	// Off, too: modules that ask a model or send telemetry. Older versions of n8n do not start if
	// they do not know one of these names.
	...(!isOtherVersion && { N8N_DISABLED_MODULES: 'mcp-registry,agents,instance-ai,otel' }),
	// Settings > Community nodes runs `npm outdated`, which would ask the registry.
	npm_config_offline: 'true',
	// Saves about a third of the work of a start.
	NODE_COMPILE_CACHE: join(import.meta.dirname, '..', '..', '.cache', 'compiled'),
	// As in n8n's own container image.
	NODE_ENV: 'production',
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '10',
	// By default, n8n ends if its database does not answer within 5 seconds, as on a busy machine.
	DB_PING_TIMEOUT_MS: '120000',
};

/** Settings of the calling shell that would turn this n8n into another one. */
const FOREIGN_SETTINGS =
	/^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_URL$|NODE_ENV$|NODE_OPTIONS$|NODE_TEST)/;

/** The environment of an n8n that neither the machine nor the calling shell has an influence on. */
export function isolatedEnvironment(): NodeJS.ProcessEnv {
	const kept = Object.entries(process.env).filter(([name]) => !FOREIGN_SETTINGS.test(name));
	const local = [process.env.NO_PROXY ?? process.env.no_proxy, HOST, 'localhost'].filter(Boolean);
	// Without this, a proxy of the machine would be asked for the emulator on 127.0.0.1.
	return {
		...Object.fromEntries(kept),
		NO_PROXY: local.join(','),
		no_proxy: local.join(','),
		...quietAndLocal,
		// Of `npm run test:compat -- latest+3.0`.
		...(JSON.parse(process.env.COMPAT_ENV ?? '{}') as object),
	};
}
