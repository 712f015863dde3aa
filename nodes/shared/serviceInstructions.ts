import { VoiceAgentError } from './errors';
import { isJsonObject, type JsonObject } from './payload';

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
	return Object.fromEntries(
		Object.entries(block).filter(([name]) => name !== 'recordCallPassword'),
	);
}

/** Whether a body can be the reply to CallStart. */
export function isCallStartReply(body: unknown): body is CallStartReply {
	return isJsonObject(body) && isJsonObject(body[BLOCK]);
}

/**
 * A reply that a workflow has made, with the password that it must not hold in its items. Without a usable password,
 * nothing is recorded.
 */
export function encrypted(reply: CallStartReply, password: string | undefined): CallStartReply {
	const block = reply.Service_Instructions;
	if (block.recordCall !== true || block.recordCallPassword) return reply;
	return {
		...reply,
		Service_Instructions: password
			? { ...block, recordCallPassword: password }
			: { ...block, recordCall: false },
	};
}

function furtherInstructions(more: InstructionValues['more']): JsonObject {
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
	if (value === undefined || value === '') return undefined;
	const seconds = typeof value === 'string' ? Number(value) : value;
	if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0) return seconds;
	throw invalid("'Max Seconds' must be a number above 0");
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
		NAMED.some((named) => named.toLowerCase() === name.toLowerCase()),
	);
	if (clash === undefined) return fields;
	throw invalid(
		`'Additional Fields' must not contain '${clash}', because there is a field for it${
			clash.toLowerCase() === 'recordcallpassword' ? ': Encrypt Recording' : ''
		}`,
	);
}

function invalid(detail: string): VoiceAgentError {
	return new VoiceAgentError('invalidParameter', { detail });
}
