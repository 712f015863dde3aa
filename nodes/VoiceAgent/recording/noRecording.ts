import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { VoiceAgentError } from '../../errors';
import type { Field } from '../../fields/field';
import { itemOf } from '../../fields/operation';
import { canonicalSessionGuid } from '../../service/sessionGuid';
import { outputPath } from './output';

/** What Download does for a call that was not recorded, or whose recording is gone. */
export const ifNoRecording = {
	displayName: 'If There Is No Recording',
	name: 'ifNoRecording',
	type: 'options',
	options: [
		{
			name: 'End Without an Item',
			value: 'end',
			description: 'The next nodes do not run for it',
		},
		{ name: 'Fail', value: 'fail', description: 'Stop with an error' },
		{
			name: 'Use No Recording Output',
			value: 'output',
			description: 'A second output gets an item with the session GUID and the reason',
		},
	],
	default: 'fail',
	description:
		'What to do if the call was not recorded, or its recording was deleted or purged. Other failures stay failures.',
} as const satisfies Field;

/** What Download does with a recording that it cannot decrypt or recognize. */
export const ifNotOpened = {
	displayName: 'If It Cannot Be Opened',
	name: 'ifNotOpened',
	type: 'options',
	options: [
		{ name: 'Fail', value: 'fail', description: 'Stop with an error' },
		{
			name: 'Use Not Opened Output',
			value: 'output',
			description:
				'A further output gets the file as the service has it, with the reason. Check the password before the service purges the recording.',
		},
	],
	default: 'fail',
	description:
		'What to do if the recording cannot be decrypted, is not recognized or is not complete. Other failures stay failures.',
} as const satisfies Field;

/** The outputs of the node, as an expression that n8n evaluates with its parameters. */
export const outputs =
	`={{ $parameter.resource === 'recording' && $parameter.operation === 'download' && [$parameter.options?.ifNoRecording, $parameter.options?.ifNotOpened].includes('output') ? [{ type: 'main', displayName: 'Recording' }, $parameter.options.ifNoRecording === 'output' && { type: 'main', displayName: 'No Recording' }, $parameter.options.ifNotOpened === 'output' && { type: 'main', displayName: 'Not Opened' }].filter(Boolean) : ['main'] }}` as const;

/** Whether an error says that the service has no such recording. */
export function isAbsent(error: unknown): error is VoiceAgentError {
	return error instanceof VoiceAgentError && error.reason === 'recordingGone';
}

/**
 * The item for the second output: with the name that the metadata in an archive would have, and with a pattern for all
 * files of this recording.
 */
export function noRecordingItem(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	{ reason, message }: VoiceAgentError,
	template?: string,
): INodeExecutionData {
	const baseName = canonicalSessionGuid(sessionGuid);
	const format = { format: 'json', extension: 'json', mimeType: 'application/json' };
	const { path } = outputPath(context, itemIndex, { baseName, sessionGuid, format }, template);
	const fileName = `*${baseName}*`;
	return itemOf(itemIndex, { sessionGuid, fileName, metadataFile: path, reason, message });
}

/** Adds to an error which recording it is about, and until when it is kept if the input item says so. */
export function aboutRecording(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	error: unknown,
): unknown {
	if (!(error instanceof VoiceAgentError)) return error;
	const deadline = context.getInputData()[itemIndex]?.json.retentionEndsAt;
	return error.withHint(
		typeof deadline === 'string' && !isAbsent(error)
			? `The service keeps the recording ${sessionGuid} until ${deadline}.`
			: `The recording is ${sessionGuid}.`,
	);
}
