import type { IExecuteFunctions } from 'n8n-workflow';

import { invalid } from '../../errors';
import type { Field, ValuesOf } from '../../fields/field';
import type { recordingFields } from '../../fields/instructionFields';
import { hasPassword, instructionsIn } from '../../service/serviceInstructions';

/** For calls that another system gives instructions for, such as one with an AI agent. */
export const otherAnswerFields = [
	{
		displayName: 'Keep Another Answer',
		name: 'keepOtherAnswer',
		type: 'boolean',
		noDataExpression: true,
		default: false,
		description:
			'Whether to send the answer of another system, and set only the recording in it. Everything else in it is kept byte for byte.',
	},
	{
		displayName: 'Input Binary Field',
		name: 'otherAnswerField',
		type: 'string',
		default: 'data',
		required: true,
		hint: 'The name of the input binary field that holds the answer of the other system',
		description:
			"Ask the other system with an HTTP Request node whose 'Response Format' is 'File'. With any other format, n8n changes the answer.",
		displayOptions: { show: { keepOtherAnswer: [true] } },
	},
] as const satisfies readonly Field[];

type Values = ValuesOf<typeof otherAnswerFields> & ValuesOf<typeof recordingFields>;

/**
 * The answer of another system to CallStart.
 *
 * @returns `undefined` if none is to be kept
 *
 * @throws VoiceAgentError `invalidParameter` if the file is not such an answer, or if it encrypts
 * a recording that would now not be encrypted
 */
export async function readOtherAnswer(
	context: IExecuteFunctions,
	itemIndex: number,
	{ keepOtherAnswer, otherAnswerField, recordCall, encryptRecording }: Values,
): Promise<string | undefined> {
	if (!keepOtherAnswer) return undefined;
	const bytes = await context.helpers.getBinaryDataBuffer(itemIndex, otherAnswerField);
	const answer = textIn(bytes);
	const instructions = instructionsIn(answer);
	if (instructions === undefined) {
		throw invalid(
			`The file in '${otherAnswerField}' is not an answer to CallStart: JSON in UTF-8 with one 'Service_Instructions'`,
		);
	}
	if (recordCall && !encryptRecording && hasPassword(instructions)) {
		throw invalid(
			"The other system encrypts the recording with a 'recordCallPassword', so turn on 'Encrypt Recording'",
		);
	}
	return answer;
}

/** Without a byte order mark. Empty, which is not JSON, if the bytes are not UTF-8. */
function textIn(bytes: Buffer): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return '';
	}
}
