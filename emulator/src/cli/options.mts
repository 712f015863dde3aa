import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { defaultApiKeys, permissions } from '../auth/permissions.mts';
import { outcomes } from '../calls/outcomes.mts';
import { type CertificateKind, certificateKinds } from '../certificates.mts';
import { defaults } from '../defaults.mts';
import { StartError } from '../errors.mts';
import type { FaultRule } from '../faults/rule.mts';
import type { EmulatorOptions } from '../options.mts';
import type { Seed } from '../recordings/schemas.mts';
import { type PresetName, presetNames } from '../webhooks/presets.mts';
import { unknowns } from '../profile/unknowns.mts';
import { apiKey, json, number, object, outcome, readJson, shapes, url } from './values.mts';

const ENV_PREFIX = 'VOICEAGENT_EMULATOR_';

/** Values by the names that commander makes from the flags. */
interface Values {
	port: number;
	host: string;
	allowRemote?: true;
	controlToken?: string;
	seedFile?: string;
	dataDir: string;
	inMemory?: true;
	callStartUrl?: string;
	callEndUrl?: string;
	defaultInstructions?: Record<string, unknown>;
	apiKey?: string[];
	callSpeed: number;
	ringSeconds: number;
	callSeconds: number;
	recordingDelay: number;
	webhookTimeout: number;
	webhookDelivery?: Record<string, unknown>;
	webhookPreset?: PresetName;
	outcome?: string[];
	shape?: string[];
	profile?: string;
	fault?: unknown;
	https?: true;
	httpsPort: number;
	certificate: CertificateKind;
	hostName?: string[];
	caFile?: string;
}

export interface CliOptions extends EmulatorOptions {
	/** Where the authority of the certificate is written. */
	caFile?: string | undefined;
}

/** A flag, which also exists as an environment variable. */
function flag(
	syntax: string,
	help: string,
	read?: (flag: string, text: string, previous: unknown) => unknown,
): Option {
	const option = new Option(syntax, help);
	const name = option.name();
	if (read) option.argParser((text, previous) => read(`--${name}`, text, previous));
	return option.env(ENV_PREFIX + name.toUpperCase().replaceAll('-', '_'));
}

const repeatable = (_flag: string, text: string, previous: unknown) => [
	...((previous as string[] | undefined) ?? []),
	text,
];

const flags = () => [
	flag('--port <number>', 'port to listen on; 0 picks a free one', number).default(8480),
	flag('--host <address>', 'address to listen on').default(defaults.host),
	flag('--allow-remote', 'allow a host that other machines can reach'),
	flag('--control-token <token>', 'opens /control to other machines that send it'),
	flag('--seed-file <file>', 'recordings to begin with, see the README'),
	flag('--data-dir <folder>', 'folder that keeps the state').default('data', './data'),
	flag('--in-memory', 'keep nothing after the end').conflicts('dataDir'),
	flag('--call-start-url <url>', 'target of the CallStart webhook', url),
	flag('--call-end-url <url>', 'target of the CallEnd webhook', url),
	flag(
		'--default-instructions <json>',
		'Service_Instructions for calls while there is no CallStart target',
		object,
	),
	flag(
		'--api-key <key>',
		`accepted key, repeatable; may do everything, or after "=" all, none or some of ${permissions.join()}`,
		repeatable,
	),
	flag('--call-speed <factor>', 'how much faster than real calls run', number).default(
		defaults.callSpeed,
	),
	flag('--ring-seconds <seconds>', 'how long a call rings', number).default(defaults.ringSeconds),
	flag('--call-seconds <seconds>', 'length of a call that does not say its own', number).default(
		defaults.defaultDurationSeconds,
	),
	flag(
		'--outcome <number=outcome>',
		`how calls to a number go, repeatable: ${outcomes.join(', ')}; * stands for any text`,
		repeatable,
	),
	flag(
		'--recording-delay <ms>',
		'from CallEnd to the stored recording; 0 stores it before CallEnd',
		number,
	).default(defaults.recordingDelayMs),
	flag('--webhook-timeout <ms>', 'longest time for one webhook with its reply', number).default(
		defaults.webhookTimeoutMs,
	),
	flag('--webhook-preset <name>', 'retries as a real sender makes them, see FAULTS.md').choices(
		presetNames,
	),
	flag(
		'--webhook-delivery <json>',
		'retries, copies, delayMs, reorder, secret … of the webhooks, see FAULTS.md',
		object,
	),
	flag(
		'--shape <unknown=shape>',
		'how something not specified looks, repeatable, such as list=paged; see below',
		repeatable,
	),
	flag('--profile <file>', 'answer as the service-profile.json of Connection: Explore shows it'),
	flag('--fault <json>', 'a fault for the first requests, or a list of them, see FAULTS.md', json),
	flag('--https', 'listen with HTTPS on a second port'),
	flag('--https-port <number>', 'port for HTTPS', number).default(8443),
	flag('--certificate <kind>', 'certificate for HTTPS')
		.choices(certificateKinds)
		.default(certificateKinds[0]),
	flag(
		'--host-name <name>',
		'a name for the certificate, such as of a container; repeatable',
		repeatable,
	),
	flag('--ca-file <file>', 'write the authority of the certificate there, for NODE_EXTRA_CA_CERTS'),
];

/** Of the package. Its manifest lies as far from the built file as from this one. */
function version(): string {
	const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
	return (JSON.parse(manifest) as { version: string }).version;
}

/** Shown below the flags. */
function notes(): string {
	return [
		'',
		'Shapes, the assumed one first (and pageSize=<number>):',
		...Object.entries(unknowns).map(([name, { shapes: all }]) => `  ${name}=${all.join('|')}`),
		'',
		'Options win over environment variables. A variable separates several keys or shapes by spaces.',
		'',
		`Default keys: ${defaultApiKeys.map(({ key }) => key).join(' (everything), ')} (403 on everything)`,
	].join('\n');
}

/**
 * Commander takes every variable that exists as given. An empty one counts as omitted, and a switch
 * is on only if its variable says so.
 */
function ignoreUnsetVariables({ options }: Command): void {
	for (const option of options) {
		const name = option.envVar ?? '';
		const text = process.env[name] ?? '';
		const isGiven = option.isBoolean() ? /^(1|true|yes)$/i.test(text) : text !== '';
		if (!isGiven) Reflect.deleteProperty(process.env, name);
	}
}

/**
 * Reads the flags and the environment. Shows help and refuses unknown flags by ending the process.
 *
 * @throws StartError for values that cannot be used
 */
export function readOptions(argv: readonly string[]): CliOptions {
	const program = new Command(
		process.env['npm_lifecycle_event'] === 'start' ? 'npm start --' : 'voiceagent-emulator',
	)
		.description('Local stand-in for the voice-agent telephony service.')
		.version(version(), '--version', 'show the version')
		.helpOption('--help', 'show this')
		.addHelpText('after', notes())
		.showSuggestionAfterError(false);
	for (const option of flags()) program.addOption(option);
	ignoreUnsetVariables(program);
	const values = program.parse(argv, { from: 'user' }).opts<Values>();

	const list = (name: 'apiKey' | 'shape' | 'hostName' | 'outcome'): string[] => {
		const given = values[name] ?? [];
		const isVariable = program.getOptionValueSource(name) === 'env';
		return isVariable ? given.flatMap((text) => text.split(/\s+/).filter(Boolean)) : given;
	};
	for (const name of ['httpsPort', 'certificate', 'hostName', 'caFile'] as const) {
		const source = program.getOptionValueSource(name);
		if (values.https || source === undefined || source === 'default') continue;
		const { long } = program.options.find((one) => one.attributeName() === name) ?? {};
		throw new StartError(`${long} needs --https`);
	}
	const keys = list('apiKey').map(apiKey);
	return {
		port: values.port,
		host: values.host,
		allowRemote: values.allowRemote,
		controlToken: values.controlToken,
		seed:
			values.seedFile === undefined
				? undefined
				: (readJson('--seed-file', values.seedFile) as Seed),
		dataDir: values.inMemory ? undefined : values.dataDir,
		apiKeys: keys.length > 0 ? keys : undefined,
		webhooks: { callStart: values.callStartUrl, callEnd: values.callEndUrl },
		// createEmulator checks what the JSON says.
		webhookDelivery: {
			...values.webhookDelivery,
			...(values.webhookPreset && { preset: values.webhookPreset }),
		},
		outcomes: list('outcome').map(outcome),
		shapes: shapes(list('shape')),
		profile:
			values.profile === undefined ? undefined : (readJson('--profile', values.profile) as object),
		faults: (values.fault === undefined ? [] : [values.fault].flat()) as FaultRule[],
		https: values.https && {
			port: values.httpsPort,
			certificate: values.certificate,
			hostNames: list('hostName'),
		},
		caFile: values.caFile,
		defaultInstructions: values.defaultInstructions ?? null,
		recordingDelayMs: values.recordingDelay,
		callSpeed: values.callSpeed,
		ringSeconds: values.ringSeconds,
		defaultDurationSeconds: values.callSeconds,
		webhookTimeoutMs: values.webhookTimeout,
	};
}
