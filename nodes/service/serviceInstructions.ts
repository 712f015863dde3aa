import type { JsonObject } from '../data/json';
import { enteredObject, isJsonObject, plainName } from '../data/json';
import { invalid, VoiceAgentError } from '../errors';

/** The instructions that have a field of their own in the nodes. */
const DEDICATED_FIELDS = ['recordCall', 'recordCallFormat', 'recordCallPassword'].map(plainName);

const LABEL = 'More Instructions (JSON)';

/** The body of a reply to CallStart (service specification, Instructions block). */
export interface CallStartReply {
	Service_Instructions: JsonObject;
}

/** The values of the instruction fields, checked. */
export interface InstructionValues {
	recordCall: boolean;
	recordCallFormat: string;
	encryptRecording: boolean;
	/** A JSON object, as text or parsed. */
	moreInstructions: unknown;
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
	const block: JsonObject = { ...otherInstructions(moreInstructions), recordCall };
	if (recordCall) block.recordCallFormat = recordCallFormat;
	if (recordCall && encryptRecording) block.recordCallPassword = password;
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

/** An instruction must not be left out unnoticed because its expression has no value. */
function otherInstructions(value: unknown): JsonObject {
	const isEmpty = typeof value === 'string' && value.trim() === '';
	const fields = isEmpty ? {} : enteredObject(value, LABEL);
	const names = Object.keys(fields);
	const missing = names.find((name) => fields[name] === undefined);
	if (missing !== undefined) throw invalid(`'${LABEL}' has no value for '${missing}'`);
	const clash = names.find((name) => DEDICATED_FIELDS.includes(plainName(name)));
	if (clash === undefined) return fields;
	const field = plainName(clash) === 'recordcallpassword' ? ": 'Encrypt Recording'" : '';
	throw invalid(`'${LABEL}' must not contain '${clash}', because there is a field for it${field}`);
}
