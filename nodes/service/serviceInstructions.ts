import { type JsonObject, enteredObject, isJsonObject, plainName } from '../data/json';
import { invalid, VoiceAgentError } from '../errors';

/** The instructions that have a field of their own in the nodes. */
const DEDICATED_FIELDS = ['recordCall', 'recordCallFormat', 'recordCallPassword'].map(plainName);

const LABEL = 'More Instructions (JSON)';

/** The body of a reply to CallStart (service specification, Instructions block). */
export interface CallStartReply {
	Service_Instructions: JsonObject;
	/**
	 * Only from the operation Respond to our trigger, which adds the password to them and sends them
	 * in the place of the others.
	 */
	encrypted?: JsonObject;
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
 * @throws VoiceAgentError `invalidParameter`, naming the field; `encryptionPasswordMissing`, so
 * that a call is never recorded without the encryption that was asked for
 */
export function buildInstructions(
	{ recordCall, recordCallFormat, encryptRecording, moreInstructions }: InstructionValues,
	password: string | undefined,
): CallStartReply {
	const block: JsonObject = { ...otherInstructions(moreInstructions), recordCall };
	if (!recordCall) return { Service_Instructions: block };
	block.recordCallFormat = recordCallFormat;
	if (encryptRecording && !password) throw new VoiceAgentError('encryptionPasswordMissing');
	if (encryptRecording) block.recordCallPassword = password;
	return { Service_Instructions: block };
}

/** Whether a body has the form of a reply to CallStart. */
export function isCallStartReply(body: unknown): body is CallStartReply {
	return isJsonObject(body) && isJsonObject(body.Service_Instructions);
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
