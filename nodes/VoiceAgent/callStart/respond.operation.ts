import type { IDataObject, IExecuteFunctions, NodeTypeAndVersion } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../data/json';
import { VoiceAgentError } from '../../errors';
import { instructionFields } from '../../fields/instructionFields';
import { itemOf, operation } from '../../fields/operation';
import { recordingPasswords } from '../../service/credentials/recordingPasswords';
import { buildInstructions, withoutPassword } from '../../service/serviceInstructions';

export const respond = operation({
	name: 'Respond',
	value: 'respond',
	action: 'Respond to call start',
	description: 'Answer the CallStart webhook with instructions for the call, such as to record it',
	fields: [
		{
			displayName:
				"Needs a VoiceAgent Trigger on Call Start with 'Respond' set to 'Using Respond to Call Start'. The service gets the instructions of the first item.",
			name: 'needsTrigger',
			type: 'notice',
			default: '',
		},
		...instructionFields,
	],
	oneAtATime: true,
	async execute(values, itemIndex) {
		const before = this.getParentNodes(this.getNode().name, { includeNodeParameters: true });
		const triggers = before.filter(waitsForResponse);
		if (triggers.length === 0) throw new VoiceAgentError('nobodyWaitsForResponse');
		if (values.encryptRecording && triggers.some(answersAnybody)) {
			throw new VoiceAgentError('passwordUnprotected');
		}
		const [password] = values.encryptRecording ? await recordingPasswords(this, itemIndex) : [];
		const reply = buildInstructions(values, password);
		const isFirst = itemIndex === 0;
		const isLate = isFirst && isTooLate(this, triggers);
		if (isFirst) {
			await this.sendResponse({
				body: { ...reply },
				headers: { 'content-type': 'application/json; charset=utf-8' },
				statusCode: 200,
			});
		}
		if (isLate) {
			this.addExecutionHints({
				type: 'warning',
				location: 'outputPane',
				message:
					"This response came too late: the VoiceAgent Trigger had already sent its fallback instructions. Make the workflow faster, or raise the option 'Deadline (Seconds)' of the trigger.",
			});
		}
		return [
			itemOf(itemIndex, {
				// Not under the name of the block: if this item were the answer, the call would be recorded unencrypted.
				instructions: withoutPassword(reply),
				encrypted: 'recordCallPassword' in reply.Service_Instructions,
				responded: isFirst && !isLate,
			}),
		];
	},
});

/** Whether a node starts workflows and waits for a response then. */
export function waitsForResponse({ type, parameters, disabled }: NodeTypeAndVersion): boolean {
	if (disabled) return false;
	if (type === 'n8n-nodes-base.webhook') return parameters?.responseMode === 'responseNode';
	// The part before the dot depends on how the package was installed.
	return (
		type.endsWith('.voiceAgentTrigger') &&
		parameters?.event === 'callStart' &&
		parameters.respond === 'responseNode'
	);
}

/** Whether anybody who knows the URL of the trigger would get the response. */
export function answersAnybody({ parameters }: NodeTypeAndVersion): boolean {
	const options = parameters?.options;
	// n8n's own Webhook node has another name for it.
	const isLimited =
		isJsonObject(options) && ('allowedAddresses' in options || 'ipWhitelist' in options);
	return parameters?.authentication === 'none' && !isLimited;
}

/** Whether the trigger that has run has stopped waiting, according to its item. */
function isTooLate(context: IExecuteFunctions, triggers: readonly NodeTypeAndVersion[]): boolean {
	const { $ } = context.getWorkflowDataProxy(0);
	return triggers.some(({ name }) => {
		try {
			const json = jsonOfItem(($(name) as { first(): unknown }).first()) as IDataObject;
			return Date.parse(String(json.answerBy)) < Date.now();
		} catch {
			// n8n throws if the trigger did not run, such as in an execution that was started by hand.
			return false;
		}
	});
}
