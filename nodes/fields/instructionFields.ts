import type { Field } from './field';

/** Whether and how to record a call, as fields of the Respond operation and of the trigger. */
export const recordingFields = [
	{
		displayName: 'Record Call',
		name: 'recordCall',
		type: 'boolean',
		default: false,
		description: 'Whether to record the call. Recording may need the consent of everyone in it.',
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
			"Whether to encrypt the recording with the 'Recording Password' of the credential. If it has none, the workflow cannot be published, and calls are not recorded.",
		displayOptions: { show: { recordCall: [true] } },
	},
] as const satisfies readonly Field[];

/** An option, because few services need it. */
export const moreInstructionsField = {
	displayName: 'More Instructions (JSON)',
	name: 'moreInstructions',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. { "maxSeconds": 600 }',
	description:
		"Other fields of the instructions as a JSON object, such as 'maxSeconds', 'aiUrl' and 'defaultToolsUrlBase'. They are sent as entered.",
} as const satisfies Field;
