/** n8n's own modules, loaded into this process. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Core from 'n8n-core';
import type * as WorkflowModule from 'n8n-workflow';

const root = join(import.meta.dirname, '..', '..');
const fromRoot = createRequire(join(root, 'package.json'));
// The engine takes its services from the container that n8n-core itself uses.
const fromCore = createRequire(fromRoot.resolve('n8n-core'));

/** The folder of the package whose build the engine runs. */
export const packageFolder = root;

export interface Modules {
	core: typeof Core;
	workflow: typeof WorkflowModule;
	/** n8n's one instance of a class. */
	service<T>(type: abstract new (...args: never[]) => T): T;
	/** Where n8n keeps its data. */
	userFolder: string;
	/** What was written to the log of n8n: level and message. */
	log: string[];
}

/** Settings of the calling shell that would change what n8n does. */
const FOREIGN_SETTINGS = /^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_URL$)/;

let loading: Promise<Modules> | undefined;

/** n8n reads its settings when it is loaded, so they hold for the whole process. */
export async function loadModules(): Promise<Modules> {
	loading ??= load();
	return await loading;
}

async function load(): Promise<Modules> {
	const userFolder = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
	process.on('exit', () => rmSync(userFolder, { recursive: true, force: true }));
	for (const name of Object.keys(process.env)) {
		if (FOREIGN_SETTINGS.test(name)) Reflect.deleteProperty(process.env, name);
	}
	Object.assign(process.env, {
		N8N_USER_FOLDER: userFolder,
		N8N_LOG_LEVEL: 'silent',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		NODE_ENV: 'production',
		// Without this, a proxy of the machine would be asked for the emulator on 127.0.0.1.
		NO_PROXY: [process.env.NO_PROXY, '127.0.0.1', 'localhost'].filter(Boolean).join(),
	});
	const core = fromRoot('n8n-core') as typeof Core;
	const workflow = fromRoot('n8n-workflow') as typeof WorkflowModule;
	const { Container } = fromCore('@n8n/di') as { Container: { get: Modules['service'] } };
	const { Logger } = fromCore('@n8n/backend-common') as {
		Logger: new () => WorkflowModule.Logger;
	};
	const service: Modules['service'] = (type) => Container.get(type);
	const logger = service(Logger);
	const log: string[] = [];
	for (const level of ['info', 'warn', 'error'] as const) {
		logger[level] = (message) => log.push(`${level}: ${message}`);
	}
	workflow.LoggerProxy.init(logger);
	useOwnKey(core, service);
	// The engine and the limits that n8n has without settings.
	await workflow.Expression.initExpressionEngine({
		engine: 'vm',
		poolSize: 1,
		maxCodeCacheSize: 1024,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
	});
	// An isolate that is still there while the process ends can make isolated-vm abort it.
	process.once('beforeExit', () => void workflow.Expression.disposeExpressionEngine());
	return { core, workflow, service, userFolder, log };
}

/** n8n keeps the key for its credentials in its database; here one is made for this process. */
function useOwnKey(core: typeof Core, service: Modules['service']): void {
	const value = service(core.Cipher).encryptDEKWithInstanceKey(randomBytes(32).toString('hex'));
	const key = { id: 'engine', algorithm: 'aes-256-gcm', format: 'prefixed', value } as const;
	service(core.EncryptionKeyProxy).setProvider({
		getActiveKey: async () => key,
		getKeyById: async () => key,
		getLegacyKey: async () => key,
	});
}
