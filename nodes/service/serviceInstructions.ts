import { type JsonObject, enteredObject, isJsonObject, plainName } from '../data/json';
import { changeMembers, membersOf, textOf } from '../data/jsonText';
import { invalid, VoiceAgentError } from '../errors';

/** The name of the instructions in a reply. */
const BLOCK = 'Service_Instructions';

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
	/** The answer of another system, as text, that `encrypted` is put into. Only beside it. */
	otherAnswer?: string;
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

/**
 * The instructions in a reply that is text.
 *
 * @returns `undefined` if it is not a reply to CallStart, or has instructions twice, because it is
 * not known which ones a service would follow
 */
export function instructionsIn(answer: string): JsonObject | undefined {
	let reply: unknown;
	try {
		reply = JSON.parse(answer);
	} catch {
		return undefined;
	}
	if (!isCallStartReply(reply)) return undefined;
	const blocks = membersOf(answer).filter(({ name }) => name === BLOCK);
	return blocks.length === 1 ? reply.Service_Instructions : undefined;
}

/** Whether instructions have a password, in any spelling of its name. `null` is none. */
export function hasPassword(instructions: JsonObject): boolean {
	return Object.entries(instructions).some(
		([name, value]) => plainName(name) === 'recordcallpassword' && value !== null,
	);
}

/**
 * Puts instructions for recording into a reply of another system, in the place of its own. Every
 * other byte of it stays.
 *
 * @param answer a reply that {@link instructionsIn} finds instructions in
 */
export function putRecordingInto(answer: string, recording: JsonObject): string {
	const added = JSON.stringify(recording).slice(1, -1);
	return changeMembers(answer, (members) =>
		members.map((member) => {
			if (member.name !== BLOCK) return textOf(member);
			const block = changeMembers(member.value, (instructions) => [
				added,
				...instructions.filter(({ name }) => !hasOwnField(name)).map(textOf),
			]);
			return member.label + block;
		}),
	);
}

function hasOwnField(name: string): boolean {
	return DEDICATED_FIELDS.includes(plainName(name));
}

/** An instruction must not be left out unnoticed because its expression has no value. */
function otherInstructions(value: unknown): JsonObject {
	const isEmpty = typeof value === 'string' && value.trim() === '';
	const fields = isEmpty ? {} : enteredObject(value, LABEL);
	const names = Object.keys(fields);
	const missing = names.find((name) => fields[name] === undefined);
	if (missing !== undefined) throw invalid(`'${LABEL}' has no value for '${missing}'`);
	const clash = names.find(hasOwnField);
	if (clash === undefined) return fields;
	const field = plainName(clash) === 'recordcallpassword' ? ": 'Encrypt Recording'" : '';
	throw invalid(`'${LABEL}' must not contain '${clash}', because there is a field for it${field}`);
}
