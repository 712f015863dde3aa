import type { IDataObject, IExecuteFunctions, NodeTypeAndVersion } from 'n8n-workflow';

import { jsonOfItem } from '../../data/json';
import { VoiceAgentError } from '../../errors';
import { instructionFields } from '../../fields/instructionFields';
import { itemOf, operation } from '../../fields/operation';
import { recordingPasswords } from '../../service/credentials/recordingPasswords';
import { seal } from '../../service/sealedPassword';
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
		const isEncrypted = values.recordCall && values.encryptRecording;
		const key = isEncrypted ? answerKeyOf(this, triggers) : '';
		const [password] = isEncrypted ? await recordingPasswords(this, itemIndex) : [];
		const reply = buildInstructions(values, password && seal(password, key));
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
export function waitsForResponse(node: NodeTypeAndVersion): boolean {
	const { type, parameters, disabled } = node;
	if (disabled) return false;
	if (type === 'n8n-nodes-base.webhook') return parameters?.responseMode === 'responseNode';
	return isOurs(node) && parameters?.event === 'callStart' && parameters.respond === 'responseNode';
}

/** The part before the dot depends on how the package was installed. */
function isOurs({ type }: NodeTypeAndVersion): boolean {
	return type.endsWith('.voiceAgentTrigger');
}

/**
 * What the trigger has put out for a password, because it has checked the request that started this execution. A trigger
 * that other nodes lead to hands on their items, so that anybody might have put it there.
 */
function answerKeyOf(context: IExecuteFunctions, triggers: readonly NodeTypeAndVersion[]): string {
	const key = triggers
		.filter((trigger) => isOurs(trigger) && context.getParentNodes(trigger.name).length === 0)
		.map((trigger) => putOutBy(context, trigger).answerKey)
		.find((one) => typeof one === 'string');
	if (key === undefined) throw new VoiceAgentError('passwordUnprotected');
	return key;
}

/** Whether the trigger that has run has stopped waiting. */
function isTooLate(context: IExecuteFunctions, triggers: readonly NodeTypeAndVersion[]): boolean {
	return triggers.some(
		(trigger) => Date.parse(String(putOutBy(context, trigger).answerBy)) < Date.now(),
	);
}

function putOutBy(context: IExecuteFunctions, { name }: NodeTypeAndVersion): IDataObject {
	const { $ } = context.getWorkflowDataProxy(0);
	try {
		return jsonOfItem(($(name) as { first(): unknown }).first()) as IDataObject;
	} catch {
		// n8n throws if the trigger did not run, such as in an execution that was started by hand.
		return {};
	}
}
