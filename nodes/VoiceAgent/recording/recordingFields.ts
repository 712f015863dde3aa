import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../errors';
import type { Field } from '../../fields/field';
import { parseSessionGuid } from '../../service/sessionGuid';

/** Selects a recording: from the list, by its session GUID, or by its URL. */
export const recording = {
	displayName: 'Recording',
	name: 'recording',
	type: 'resourceLocator',
	default: { mode: 'id', value: '={{ $json.sessionGuid }}' },
	required: true,
	description: 'The session GUID of the recording, which the CallEnd webhook delivers',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchRecordings', searchable: true },
		},
		{
			displayName: 'By Session GUID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
		},
		{
			displayName: 'By URL',
			name: 'url',
			type: 'string',
			placeholder: 'e.g. https://voiceagent.example.com/api/customer/recordings/3f2504e0-…',
			extractValue: { type: 'regex', regex: '/api/customer/recordings/([^/?#]+)' },
		},
	],
} as const satisfies Field;

export const outputField = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
} as const satisfies Field;

export const outputFileName = {
	displayName: 'Output File Name',
	name: 'outputFileName',
	type: 'string',
	default: '{name}.{extension}',
	placeholder: 'e.g. {date}/{time}_{to}_{sessionGuid}.{extension}',
	description:
		'Template for the name of the output file. {name} is the session GUID, or for Decrypt the name of the input file. {date}, {year}, {month} and {time} say when the call ended, in the time zone of the workflow. {sessionGuid}, {format}, {extension} and {sha256} describe the recording. {name}, {sessionGuid} or {sha256} must be in it, so that no recording replaces another. Any other placeholder, such as {to}, is a field of the input item. A missing value is "unknown", and a hint names it. A slash makes a folder.',
} as const satisfies Field;

/**
 * The session GUID in the parameter 'Recording'.
 *
 * @throws VoiceAgentError `invalidParameter`, with an expression for this workflow
 */
export function sessionGuidOf(context: IExecuteFunctions, value: unknown): string {
	try {
		return parseSessionGuid(value);
	} catch (error) {
		// The part of a type before its dot depends on the installation.
		const source = context
			.getParentNodes(context.getNode().name)
			.find(({ type }) => type.includes('.voiceAgent'));
		const name = source?.name.replace(/['\\]/g, '\\$&');
		throw error instanceof VoiceAgentError && name
			? error.withHint(`In this workflow: {{ $('${name}').item.json.sessionGuid }}`)
			: error;
	}
}
