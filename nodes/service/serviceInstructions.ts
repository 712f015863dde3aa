import { invalid, VoiceAgentError } from '../errors';
import type { JsonObject } from '../data/payload';
import { isJsonObject, plainName } from '../data/payload';
import { enteredObject } from '../data/writeJson';

/** Name of the block in the reply (service specification, Instructions block). */
const BLOCK = 'Service_Instructions';

/** The instructions that have a field of their own in the nodes, in the order of the specification. */
const DEDICATED_FIELDS = [
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

/** The values of the instruction fields, checked. */
export interface InstructionValues {
	recordCall: boolean;
	recordCallFormat: string;
	encryptRecording: boolean;
	moreInstructions: MoreInstructions;
}

export interface MoreInstructions {
	maxSeconds?: number;
	/** JSON, as text or parsed. */
	aiUrl?: unknown;
	defaultToolsUrlBase?: unknown;
	additionalFields?: unknown;
}

/**
 * Builds the reply to CallStart.
 *
 * @param password encrypts the recording; `undefined` if no password credential is selected
 * @throws VoiceAgentError `invalidParameter`, naming the field, or `encryptionPasswordMissing`, so that a call is never
 * recorded without the encryption that was asked for
 */
export function buildInstructions(
	{ recordCall, recordCallFormat, encryptRecording, moreInstructions }: InstructionValues,
	password: string | undefined,
): CallStartReply {
	if (encryptRecording && !password) throw new VoiceAgentError('encryptionPasswordMissing');
	return {
		Service_Instructions: {
			...furtherInstructions(moreInstructions),
			recordCall,
			...(recordCall && { recordCallFormat }),
			...(recordCall && encryptRecording && { recordCallPassword: password }),
		},
	};
}

/**
 * The reply that switches recording off and gives these instructions.
 * @throws VoiceAgentError `invalidParameter`, naming the field
 */
export function instructionsWithoutRecording(more: MoreInstructions): CallStartReply {
	return { Service_Instructions: { ...furtherInstructions(more), recordCall: false } };
}

/** The instructions as they may be shown: without the password. */
export function withoutPassword({ Service_Instructions: block }: CallStartReply): JsonObject {
	return omitNames(block, 'recordCallPassword');
}

/** Whether a body has the form of a reply to CallStart. */
export function isCallStartReply(body: unknown): body is CallStartReply {
	return isJsonObject(body) && isJsonObject(body[BLOCK]);
}

/**
 * Encrypts the recording that the reply of a workflow asks for: adds the password, which must not be in the items of the
 * workflow. Without a usable password, the call is not recorded.
 *
 * How leniently the service reads names and values is not known. So whatever it might read as `recordCall` or its
 * password, such as `RecordCall: "true"`, is replaced by fields that can be read in only one way.
 */
export function enforceEncryption(
	reply: CallStartReply,
	password: string | undefined,
): CallStartReply {
	const block = reply[BLOCK];
	const flags = Object.entries(block).filter(([name]) => plainName(name) === 'recordcall');
	const given = block.recordCallPassword;
	const recordCallPassword = typeof given === 'string' && given !== '' ? given : password;
	const isRecorded = flags.some(([, flag]) => isOn(flag)) && recordCallPassword;
	return {
		...omitNames(reply, BLOCK),
		Service_Instructions: {
			...omitNames(block, 'recordCall', 'recordCallPassword'),
			...(flags.length > 0 && { recordCall: false }),
			...(isRecorded && { recordCall: true, recordCallPassword }),
		},
	};
}

/** Whether a flag clearly says yes, as text or a number too. Anything else must not record a call. */
function isOn(flag: unknown): boolean {
	if (typeof flag === 'string') return /^(?:true|yes|on|1)$/i.test(flag.trim());
	return flag === true || flag === 1;
}

/** Without the fields of these names, in any spelling. */
function omitNames(object: object, ...names: string[]): JsonObject {
	const omitted = names.map(plainName);
	return Object.fromEntries(
		Object.entries(object).filter(([name]) => !omitted.includes(plainName(name))),
	);
}

function furtherInstructions(more: MoreInstructions): JsonObject {
	requireEveryValue(more);
	const { maxSeconds } = more;
	const aiUrl = parseObject(more.aiUrl, 'AI URL (JSON)');
	const defaultToolsUrlBase = parseObject(
		more.defaultToolsUrlBase,
		'Default Tools URL Base (JSON)',
	);
	return {
		...parseAdditionalFields(more.additionalFields),
		...(aiUrl && { aiUrl }),
		...(maxSeconds !== undefined && { maxSeconds }),
		...(defaultToolsUrlBase && { defaultToolsUrlBase }),
	};
}

/**
 * An instruction that was added must have a value: it must not be left out unnoticed because its expression has none.
 * @throws VoiceAgentError `invalidParameter`
 */
export function requireEveryValue(more: object): void {
	const [missing] = Object.entries(more).find(([, value]) => value === undefined) ?? [];
	if (missing !== undefined) throw invalid(`'More Instructions' has no value for '${missing}'`);
}

/** `undefined` for a field that was left empty. */
function parseObject(value: unknown, field: string): JsonObject | undefined {
	if (value === undefined || value === null) return undefined;
	const isEmpty = typeof value === 'string' && value.trim() === '';
	return isEmpty ? undefined : enteredObject(value, field);
}

function parseAdditionalFields(value: unknown): JsonObject {
	const fields = parseObject(value, 'Additional Fields (JSON)') ?? {};
	const clash = Object.keys(fields).find((name) =>
		DEDICATED_FIELDS.some((named) => plainName(named) === plainName(name)),
	);
	if (clash === undefined) return fields;
	throw invalid(
		`'Additional Fields (JSON)' must not contain '${clash}', because there is a field for it${
			plainName(clash) === 'recordcallpassword' ? ": 'Encrypt Recording'" : ''
		}`,
	);
}
