import { VoiceAgentError } from '../errors';
import { isJsonObject, plainName, type JsonObject } from './payload';

/** Name of the block in the reply (service specification, Instructions block). */
const BLOCK = 'Service_Instructions';

const FORMATS = ['opus', 'mp3', 'wav'] as const;

/** The fields of the block that have fields of their own in the nodes, in the order of the specification. */
const NAMED = [
	'aiUrl',
	'maxSeconds',
	'defaultToolsUrlBase',
	'recordCall',
	'recordCallFormat',
	'recordCallPassword',
];

/** The body of a reply to CallStart. */
export interface CallStartReply {
	Service_Instructions: JsonObject;
}

/** What the user has entered. Expressions can yield anything, so nothing is taken for granted. */
export interface InstructionValues {
	recordCall: unknown;
	recordCallFormat: unknown;
	encryptRecording: unknown;
	more: {
		maxSeconds?: unknown;
		/** JSON, as text or parsed. */
		aiUrl?: unknown;
		defaultToolsUrlBase?: unknown;
		additionalFields?: unknown;
	};
}

/**
 * Builds the reply to CallStart.
 *
 * @param password encrypts the recording; `undefined` where no password credential is selected
 * @throws VoiceAgentError `invalidParameter`, naming the field, or `encryptionPasswordMissing`: a recording that should
 * be encrypted is never made without
 */
export function buildInstructions(
	values: InstructionValues,
	password: string | undefined,
): CallStartReply {
	const recordCall = asBoolean(values.recordCall, 'Record Call');
	const encrypt = asBoolean(values.encryptRecording, 'Encrypt Recording');
	if (encrypt && !password) throw new VoiceAgentError('encryptionPasswordMissing');
	return {
		Service_Instructions: {
			...furtherInstructions(values.more),
			recordCall,
			...(recordCall && { recordCallFormat: asFormat(values.recordCallFormat) }),
			...(recordCall && encrypt && { recordCallPassword: password }),
		},
	};
}

/**
 * The reply where the entered one cannot be built: whatever of it is usable, and no recording.
 */
export function instructionsWithoutRecording(more: InstructionValues['more']): CallStartReply {
	let further: JsonObject = {};
	try {
		further = furtherInstructions(more);
	} catch {
		// The caller knows what is wrong already.
	}
	return { Service_Instructions: { ...further, recordCall: false } };
}

/** The instructions as they may be shown: without the password. */
export function withoutPassword({ Service_Instructions: block }: CallStartReply): JsonObject {
	return without(block, 'recordCallPassword');
}

/** Whether a body can be the reply to CallStart. */
export function isCallStartReply(body: unknown): body is CallStartReply {
	return isJsonObject(body) && isJsonObject(body[BLOCK]);
}

/**
 * A reply that a workflow has made, with the password that it must not hold in its items. Without a usable password,
 * nothing is recorded.
 *
 * How leniently the service reads names and values is not known. So whatever may pass for `recordCall` or its password,
 * such as `RecordCall: "true"`, is replaced by what leaves no doubt.
 */
export function encrypted(reply: CallStartReply, password: string | undefined): CallStartReply {
	const block = reply[BLOCK];
	const flags = Object.entries(block).filter(([name]) => plainName(name) === 'recordcall');
	const own = block.recordCallPassword;
	const recordCallPassword = typeof own === 'string' && own !== '' ? own : password;
	const isRecorded = flags.some(([, flag]) => !isOff(flag)) && recordCallPassword;
	return {
		...without(reply, BLOCK),
		Service_Instructions: {
			...without(block, 'recordCall', 'recordCallPassword'),
			...(flags.length > 0 && { recordCall: false }),
			...(isRecorded && { recordCall: true, recordCallPassword }),
		},
	};
}

/** Whether a record flag says no, in whatever type an expression gives it. */
function isOff(flag: unknown): boolean {
	if (typeof flag === 'string') return /^(?:|0|no|off|false)$/i.test(flag.trim());
	return !flag;
}

/** What remains without these names and everything that may pass for them. */
function without(object: object, ...names: string[]): JsonObject {
	const dropped = names.map(plainName);
	return Object.fromEntries(
		Object.entries(object).filter(([name]) => !dropped.includes(plainName(name))),
	);
}

function furtherInstructions(more: InstructionValues['more']): JsonObject {
	const [missing] = Object.entries(more).find(([, value]) => value === undefined) ?? [];
	if (missing !== undefined) throw invalid(`'More Instructions' has no value for '${missing}'`);
	return {
		...asAdditionalFields(more.additionalFields),
		...given('aiUrl', asObject(more.aiUrl, 'AI URL')),
		...given('maxSeconds', asSeconds(more.maxSeconds)),
		...given('defaultToolsUrlBase', asObject(more.defaultToolsUrlBase, 'Default Tools URL Base')),
	};
}

function given(name: string, value: unknown): JsonObject {
	return value === undefined ? {} : { [name]: value };
}

function asBoolean(value: unknown, field: string): boolean {
	// Not by truthiness: the text 'false' would switch recording on.
	if (typeof value === 'boolean') return value;
	throw invalid(`'${field}' must be true or false`);
}

function asFormat(value: unknown): string {
	const format = FORMATS.find((one) => one === value);
	if (format) return format;
	throw invalid(`'Format' must be ${FORMATS.join(', ')}`);
}

function asSeconds(value: unknown): number | undefined {
	if (value === undefined) return undefined;
	const seconds = typeof value === 'string' ? Number(value) : value;
	if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 1) return seconds;
	throw invalid("'Max Seconds' must be a number from 1");
}

/** `undefined` for a field that was left empty. */
function asObject(value: unknown, field: string): JsonObject | undefined {
	if (value === undefined || value === null) return undefined;
	let parsed = value;
	if (typeof value === 'string') {
		if (value.trim() === '') return undefined;
		try {
			parsed = JSON.parse(value);
		} catch {
			throw invalid(`'${field}' is not valid JSON`);
		}
	}
	if (!isJsonObject(parsed)) throw invalid(`'${field}' is not a JSON object`);
	return Object.keys(parsed).length === 0 ? undefined : parsed;
}

function asAdditionalFields(value: unknown): JsonObject {
	const fields = asObject(value, 'Additional Fields') ?? {};
	const clash = Object.keys(fields).find((name) =>
		NAMED.some((named) => plainName(named) === plainName(name)),
	);
	if (clash === undefined) return fields;
	throw invalid(
		`'Additional Fields' must not contain '${clash}', because there is a field for it${
			plainName(clash) === 'recordcallpassword' ? ': Encrypt Recording' : ''
		}`,
	);
}

function invalid(detail: string): VoiceAgentError {
	return new VoiceAgentError('invalidParameter', { detail });
}
