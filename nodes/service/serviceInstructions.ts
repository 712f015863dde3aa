import type { JsonObject } from '../data/json';
import { enteredObject, isJsonObject, plainName } from '../data/json';
import { invalid, VoiceAgentError } from '../errors';

/** The instructions that have a field of their own in the nodes. */
const DEDICATED_FIELDS = [
	'aiUrl',
	'maxSeconds',
	'defaultToolsUrlBase',
	'recordCall',
	'recordCallFormat',
	'recordCallPassword',
].map(plainName);

/** The body of a reply to CallStart (service specification, Instructions block). */
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
	{ recordCall, recordCallFormat, encryptRecording, moreInstructions: more }: InstructionValues,
	password: string | undefined,
): CallStartReply {
	if (encryptRecording && !password) throw new VoiceAgentError('encryptionPasswordMissing');
	requireEveryValue(more);
	const block: JsonObject = {
		...additionalFields(more.additionalFields),
		aiUrl: optionalObject(more.aiUrl, 'AI URL (JSON)'),
		maxSeconds: more.maxSeconds,
		defaultToolsUrlBase: optionalObject(more.defaultToolsUrlBase, 'Default Tools URL Base (JSON)'),
		recordCall,
		...(recordCall && { recordCallFormat }),
		...(recordCall && encryptRecording && { recordCallPassword: password }),
	};
	for (const name of Object.keys(block)) {
		if (block[name] === undefined) delete block[name];
	}
	return { Service_Instructions: block };
}

/** The instructions as they may be shown: without the password. */
export function withoutPassword({ Service_Instructions: block }: CallStartReply): JsonObject {
	return omitNames(block, 'recordCallPassword');
}

/** Whether a body has the form of a reply to CallStart. */
export function isCallStartReply(body: unknown): body is CallStartReply {
	return isJsonObject(body) && isJsonObject(body.Service_Instructions);
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
	const given = reply.Service_Instructions;
	const flags = Object.entries(given).filter(([name]) => plainName(name) === 'recordcall');
	const block = omitNames(given, 'recordCall', 'recordCallPassword');
	const own = given.recordCallPassword;
	const recordCallPassword = typeof own === 'string' && own !== '' ? own : password;
	if (flags.some(([, flag]) => isOn(flag)) && recordCallPassword) {
		Object.assign(block, { recordCall: true, recordCallPassword });
	} else if (flags.length > 0) block.recordCall = false;
	return { ...omitNames(reply, 'Service_Instructions'), Service_Instructions: block };
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

/**
 * An instruction that was added must have a value: it must not be left out unnoticed because its expression has none.
 * @throws VoiceAgentError `invalidParameter`
 */
export function requireEveryValue(more: object): void {
	const [missing] = Object.entries(more).find(([, value]) => value === undefined) ?? [];
	if (missing !== undefined) throw invalid(`'More Instructions' has no value for '${missing}'`);
}

/** `undefined` for a field that was left empty. */
function optionalObject(value: unknown, field: string): JsonObject | undefined {
	const isEmpty = typeof value === 'string' ? value.trim() === '' : (value ?? null) === null;
	return isEmpty ? undefined : enteredObject(value, field);
}

function additionalFields(value: unknown): JsonObject {
	const fields = optionalObject(value, 'Additional Fields (JSON)') ?? {};
	const clash = Object.keys(fields).find((name) => DEDICATED_FIELDS.includes(plainName(name)));
	if (clash === undefined) return fields;
	const field = plainName(clash) === 'recordcallpassword' ? ": 'Encrypt Recording'" : '';
	const why = `because there is a field for it${field}`;
	throw invalid(`'Additional Fields (JSON)' must not contain '${clash}', ${why}`);
}
