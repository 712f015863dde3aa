import type { InstructionValues } from '../service/serviceInstructions';
import { requireEveryValue } from '../service/serviceInstructions';
import type { Field } from './field';
import { checkedValues } from './values';

/** The instructions for a call, as fields of the Respond operation and of the trigger. */
export const instructionFields = [
	{
		displayName: 'Record Call',
		name: 'recordCall',
		type: 'boolean',
		default: false,
		description: 'Whether to record the call. Recording may need the consent of everybody in it.',
	},
	{
		displayName: 'Format',
		name: 'recordCallFormat',
		type: 'options',
		default: 'opus',
		options: [
			{ name: 'MP3', value: 'mp3', description: 'Plays everywhere' },
			{ name: 'Opus', value: 'opus', description: 'Smallest files, made for voice' },
			{
				name: 'WAV',
				value: 'wav',
				description: 'Uncompressed and largest, for transcription or analysis',
			},
		],
		description: 'Audio format of the recording',
		displayOptions: { show: { recordCall: [true] } },
	},
	{
		displayName: 'Encrypt Recording',
		name: 'encryptRecording',
		type: 'boolean',
		default: false,
		description:
			'Whether to encrypt the recording with the password of the VoiceAgent Recording Password API credential. If no password is available, the call is not recorded.',
		displayOptions: { show: { recordCall: [true] } },
	},
	{
		displayName: 'More Instructions',
		name: 'moreInstructions',
		type: 'collection',
		default: {},
		placeholder: 'Add instruction',
		options: [
			{
				displayName: 'Additional Fields (JSON)',
				name: 'additionalFields',
				type: 'json',
				default: '{}',
				description: 'Other fields of the instructions, as a JSON object',
			},
			{
				displayName: 'AI URL (JSON)',
				name: 'aiUrl',
				type: 'json',
				default: '{}',
				description:
					"The field 'aiUrl' of the instructions, as a JSON object. The service describes its content.",
			},
			{
				displayName: 'Default Tools URL Base (JSON)',
				name: 'defaultToolsUrlBase',
				type: 'json',
				default: '{}',
				description:
					"The field 'defaultToolsUrlBase' of the instructions, as a JSON object. The service describes its content.",
			},
			{
				displayName: 'Max Seconds',
				name: 'maxSeconds',
				type: 'number',
				// Its meaning and unit are not specified, so 0 may mean something.
				typeOptions: { minValue: 0 },
				default: 600,
				description: "The field 'maxSeconds' of the instructions",
			},
		],
	},
] as const satisfies readonly Field[];

type InstructionField = (typeof instructionFields)[number];

/** What the user has entered for each field. Expressions can yield anything. */
export type EnteredInstructions = { [F in InstructionField as F['name']]: unknown } & {
	moreInstructions: object;
};

/**
 * Reads these fields for the trigger, unchecked.
 * @param read gets the name of a parameter and its default
 */
export function readInstructions(
	read: (name: string, fallback: unknown) => unknown,
): EnteredInstructions {
	const entered = Object.fromEntries(
		instructionFields.map((field) => [field.name, read(field.name, field.default)]),
	) as EnteredInstructions;
	return { ...entered, moreInstructions: entered.moreInstructions ?? {} };
}

/** @throws VoiceAgentError `invalidParameter`, naming the field */
export function checkedInstructions(entered: EnteredInstructions): InstructionValues {
	requireEveryValue(entered.moreInstructions);
	return checkedValues(instructionFields, entered);
}
