import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ApiKey, defaultApiKeys, type Permission, permissions } from './auth.mts';
import { type CertificateKind, certificateKinds } from './certificates.mts';
import { messageOf, StartError } from './errors.mts';
import { eventLine, withoutQuery } from './eventLine.mts';
import type { FaultRule } from './faults/rule.mts';
import type { EmulatorEvent } from './logs/log.mts';
import type { EmulatorOptions, HttpsOptions } from './options.mts';
import { type Shapes, unknowns } from './shapes/unknowns.mts';

const ENV_PREFIX = 'VOICEAGENT_EMULATOR_';

interface Flag {
	type: 'string' | 'boolean';
	multiple?: boolean;
	/** Shown after the name in the help text. */
	value?: string;
	help: string;
}

/** Every option; each also exists as an environment variable, see {@link envName}. */
const flags = {
	port: { type: 'string', value: '<number>', help: 'port to listen on; 0 picks a free one [8480]' },
	host: { type: 'string', value: '<address>', help: 'address to listen on [127.0.0.1]' },
	'allow-remote': { type: 'boolean', help: 'allow a host that other machines can reach' },
	'data-dir': { type: 'string', value: '<folder>', help: 'folder that keeps the state [./data]' },
	'in-memory': { type: 'boolean', help: 'keep nothing after the end' },
	'call-start-url': { type: 'string', value: '<url>', help: 'target of the CallStart webhook' },
	'call-end-url': { type: 'string', value: '<url>', help: 'target of the CallEnd webhook' },
	'default-instructions': {
		type: 'string',
		value: '<json>',
		help: 'Service_Instructions for calls while there is no CallStart target',
	},
	'api-key': {
		type: 'string',
		multiple: true,
		value: '<key>[=<permission>,…]',
		help: `accepted key, repeatable; "=none" or some of ${permissions.join(', ')}; without "=" all`,
	},
	'call-speed': {
		type: 'string',
		value: '<factor>',
		help: 'how much faster than real calls run [1]',
	},
	'ring-seconds': { type: 'string', value: '<seconds>', help: 'how long a call rings [1]' },
	'call-seconds': {
		type: 'string',
		value: '<seconds>',
		help: 'how long a call lasts that does not say so [5]',
	},
	'recording-delay': {
		type: 'string',
		value: '<ms>',
		help: 'from CallEnd to the stored recording; 0 stores it before CallEnd [0]',
	},
	'webhook-timeout': {
		type: 'string',
		value: '<ms>',
		help: 'longest time for one webhook with its reply [10000]',
	},
	'webhook-delivery': {
		type: 'string',
		value: '<json>',
		help: 'retries, copies, delayMs, reorder, secret … of the webhooks, see the README',
	},
	shape: {
		type: 'string',
		multiple: true,
		value: '<unknown>=<shape>',
		help: 'how something not specified looks, repeatable, such as list=paged; see below',
	},
	fault: {
		type: 'string',
		value: '<json>',
		help: 'a fault for the first requests, or a list of them, see the README',
	},
	https: { type: 'boolean', help: 'listen with HTTPS on a second port' },
	'https-port': { type: 'string', value: '<number>', help: 'its port [8443]' },
	certificate: {
		type: 'string',
		value: '<kind>',
		help: `its certificate: ${certificateKinds.join(', ')} [${certificateKinds[0]}]`,
	},
	'ca-file': {
		type: 'string',
		value: '<file>',
		help: 'write the authority of the certificate there, for NODE_EXTRA_CA_CERTS',
	},
	help: { type: 'boolean', help: 'show this' },
} as const satisfies Record<string, Flag>;

const envName = (flag: string) => ENV_PREFIX + flag.toUpperCase().replaceAll('-', '_');

function helpText(): string {
	const lines = Object.entries<Flag>(flags).map(([name, { value, help }]) => {
		const left = `  --${name}${value ? ` ${value}` : ''}`;
		return left.length < 34 ? `${left.padEnd(34)}${help}` : `${left}\n${' '.repeat(34)}${help}`;
	});
	return [
		'Local stand-in of the voice-agent telephony service.',
		'',
		'Usage: npm start -- [options]      (or: node src/cli.mts [options])',
		'',
		...lines,
		'',
		'Shapes, the assumed one first (and pageSize=<number>):',
		...Object.entries(unknowns).map(([name, { shapes }]) => `  ${name}=${shapes.join('|')}`),
		'',
		`Each option can also be given as an environment variable, such as ${envName('call-end-url')};`,
		`several in ${envName('api-key')} or ${envName('shape')} are separated by spaces.`,
		'Options win.',
		'',
		`Default keys: ${defaultApiKeys.map(({ key }) => key).join(' (everything), ')} (403 on everything)`,
	].join('\n');
}

function parseApiKey(text: string): ApiKey {
	const [key = '', list] = text.split('=', 2);
	if (list === undefined) return { key, permissions };
	const names = list === 'none' ? [] : list.split(',');
	const unknown = names.filter((name) => !(permissions as readonly string[]).includes(name));
	if (unknown.length > 0) {
		throw new StartError(
			`--api-key knows no permission "${unknown.join('", "')}", only ${permissions.join(', ')}, or none`,
		);
	}
	return { key, permissions: names as Permission[] };
}

function parseJson(flag: string, text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		// The parser's message would repeat the text, which can contain a password.
		throw new StartError(`--${flag} is not JSON`);
	}
}

function parseObject(flag: string, text: string): Record<string, unknown> {
	const value = parseJson(flag, text);
	if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
	throw new StartError(`--${flag} is not a JSON object`);
}

/** Names and values are judged by `createEmulator`. */
function parseShapes(texts: readonly string[]): Partial<Shapes> {
	const entries = texts.map((text): [string, string | number] => {
		const [name = '', value] = text.split('=', 2);
		if (value === undefined) throw new StartError(`--shape ${name} needs "=<shape>"`);
		return [name, name === 'pageSize' ? Number(value) : value];
	});
	return Object.fromEntries(entries);
}

function parseUrl(flag: string, text: string | undefined): string | undefined {
	if (text !== undefined && !(URL.canParse(text) && /^https?:/.test(text))) {
		throw new StartError(`--${flag} is not an http or https address`);
	}
	return text;
}

function parseNumber(flag: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const value = text.trim() === '' ? NaN : Number(text);
	if (Number.isNaN(value)) throw new StartError(`--${flag} is not a number`);
	return value;
}

interface CliOptions extends EmulatorOptions {
	/** Where the authority of the certificate is written. */
	caFile?: string | undefined;
}

/** @returns undefined when only the help text was asked for */
function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv): CliOptions | undefined {
	const { values } = parseArgs({ args: [...argv], options: flags, allowPositionals: false });
	if (values.help) return undefined;
	const text = (flag: Exclude<keyof typeof flags, 'api-key' | 'shape'>) => {
		const given = values[flag];
		return typeof given === 'string' ? given : env[envName(flag)] || undefined;
	};
	const isOn = (flag: 'allow-remote' | 'in-memory' | 'https') =>
		values[flag] ?? /^(1|true|yes)$/i.test(env[envName(flag)] ?? '');
	const number = (flag: Parameters<typeof text>[0]) => parseNumber(flag, text(flag));
	const list = (flag: 'api-key' | 'shape') =>
		values[flag] ?? env[envName(flag)]?.split(/\s+/).filter(Boolean) ?? [];
	const object = (flag: Parameters<typeof text>[0]) => {
		const given = text(flag);
		return given === undefined ? undefined : parseObject(flag, given);
	};

	const inMemory = isOn('in-memory');
	const dataDir = text('data-dir');
	if (inMemory && dataDir !== undefined) {
		throw new StartError('--in-memory and --data-dir exclude each other');
	}
	const keys = list('api-key');
	const fault = text('fault');
	const faults = fault === undefined ? [] : [parseJson('fault', fault)].flat();
	const https: HttpsOptions = {
		port: number('https-port') ?? 8443,
		certificate: text('certificate') as CertificateKind | undefined,
	};
	for (const flag of ['https-port', 'certificate', 'ca-file'] as const) {
		if (!isOn('https') && text(flag) !== undefined) throw new StartError(`--${flag} needs --https`);
	}
	return {
		port: number('port') ?? 8480,
		host: text('host'),
		allowRemote: isOn('allow-remote'),
		dataDir: inMemory ? undefined : (dataDir ?? 'data'),
		apiKeys: keys.length > 0 ? keys.map(parseApiKey) : undefined,
		webhooks: {
			callStart: parseUrl('call-start-url', text('call-start-url')),
			callEnd: parseUrl('call-end-url', text('call-end-url')),
		},
		// What the JSON says is judged by createEmulator.
		webhookDelivery: object('webhook-delivery'),
		shapes: parseShapes(list('shape')),
		faults: faults as FaultRule[],
		https: isOn('https') && https,
		caFile: text('ca-file'),
		defaultInstructions: object('default-instructions') ?? null,
		recordingDelayMs: number('recording-delay'),
		callSpeed: number('call-speed'),
		ringSeconds: number('ring-seconds'),
		defaultDurationSeconds: number('call-seconds'),
		webhookTimeoutMs: number('webhook-timeout'),
	};
}

function printEvent(event: EmulatorEvent): void {
	console.log(`${new Date().toTimeString().slice(0, 8)} ${eventLine(event)}`);
}

async function main(): Promise<void> {
	const options = readOptions(process.argv.slice(2), process.env);
	if (!options) {
		console.log(helpText());
		return;
	}
	// Loaded only now, because it takes longer than telling help or mistakes.
	const { createEmulator } = await import('./index.mts');
	const { caFile, ...emulatorOptions } = options;
	const emulator = await createEmulator({ ...emulatorOptions, onEvent: printEvent });
	if (caFile !== undefined && emulator.caPem !== undefined) {
		try {
			writeFileSync(caFile, emulator.caPem);
		} catch (error) {
			await emulator.close();
			throw new StartError(`--ca-file cannot be written: ${messageOf(error)}`);
		}
	}
	const targets = emulator.control.webhooks();
	console.log(
		[
			`Voice agent emulator: ${emulator.url}`,
			...(emulator.httpsUrl ? [`With HTTPS:           ${emulator.httpsUrl}`] : []),
			`Swagger UI:           ${emulator.url}/swagger`,
			`CallStart goes to:    ${targets.callStart ? withoutQuery(targets.callStart) : 'nobody'}`,
			`CallEnd goes to:      ${targets.callEnd ? withoutQuery(targets.callEnd) : 'nobody'}`,
			`State:                ${options.dataDir ?? 'in memory'}`,
			'Stop with Ctrl+C',
		].join('\n'),
	);

	const stop = () => {
		// A second signal means that somebody does not want to wait.
		process.once('SIGINT', () => process.exit(1));
		process.once('SIGTERM', () => process.exit(1));
		emulator.close().then(
			() => console.log('Stopped'),
			(error: unknown) => {
				console.error(messageOf(error));
				process.exitCode = 1;
			},
		);
	};
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

try {
	await main();
} catch (error) {
	const isUsageError = String(Reflect.get(Object(error), 'code')).startsWith('ERR_PARSE_ARGS');
	if (!(error instanceof StartError) && !isUsageError) throw error;
	console.error(messageOf(error));
	process.exitCode = 1;
}
