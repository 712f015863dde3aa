import type { IDataObject, IExecuteFunctions, NodeTypeAndVersion } from 'n8n-workflow';

import { jsonOfItem, type JsonObject } from '../../data/json';
import { VoiceAgentError } from '../../errors';
import { optionsField } from '../../fields/field';
import { moreInstructionsField, recordingFields } from '../../fields/instructionFields';
import { operation, outputItem } from '../../fields/operation';
import {
	buildInstructions,
	type CallStartReply,
	putRecordingInto,
} from '../../service/serviceInstructions';
import { otherAnswerFields, readOtherAnswer } from './otherAnswer';

export const respond = operation({
	name: 'Respond',
	value: 'respond',
	action: 'Respond to call start',
	description: 'Answer the CallStart webhook with instructions for the call, such as to record it',
	usesAccount: false,
	fields: [
		{
			displayName:
				"Needs a VoiceAgent Trigger on Call Start with 'Respond' set to 'Using Respond to Call Start'. The service gets the instructions of the first item.",
			name: 'needsTrigger',
			type: 'notice',
			default: '',
		},
		...recordingFields,
		...otherAnswerFields,
		{
			...optionsField([moreInstructionsField]),
			displayOptions: { show: { keepOtherAnswer: [false] } },
		},
	],
	oneAtATime: true,
	async execute(values, itemIndex) {
		const before = this.getParentNodes(this.getNode().name, { includeNodeParameters: true });
		const triggers = before.filter(waitsForResponse);
		if (triggers.length === 0) throw new VoiceAgentError('nobodyWaitsForResponse');
		const started = triggers.map((trigger) => outputOfTrigger(this, trigger));
		const encrypted = values.recordCall && values.encryptRecording;
		// Only a trigger that has checked the request and has a password can encrypt.
		if (encrypted && !started.some(({ canEncrypt }) => canEncrypt === true)) {
			throw new VoiceAgentError('passwordUnprotected');
		}
		const other = await readOtherAnswer(this, itemIndex, values);
		const { Service_Instructions: instructions } = buildInstructions(
			{
				...values,
				encryptRecording: false,
				moreInstructions: other === undefined ? moreInstructionsOf(values) : {},
			},
			undefined,
		);
		const answer = encrypted
			? answerToEncrypt(instructions, other)
			: answerInTheClear(instructions, other);
		// The service gets one answer.
		const isFirst = itemIndex === 0;
		const isLate =
			isFirst && started.some(({ answerBy }) => Date.parse(String(answerBy)) < Date.now());
		if (isFirst) {
			await this.sendResponse({
				body: answer,
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
			outputItem(itemIndex, {
				// Not as `Service_Instructions`: n8n may answer with the last item, and the call would
				// then be recorded without encryption.
				instructions,
				encrypted,
				responded: isFirst && !isLate,
			}),
		];
	},
});

/** An option may be left out, but an expression without a value does not leave it out. */
function moreInstructionsOf({ options }: { options: { moreInstructions?: unknown } }): unknown {
	return moreInstructionsField.name in options ? options.moreInstructions : {};
}

/**
 * An answer whose recording is to be encrypted. n8n hands it to whoever waits, so it never has the
 * password. Only our trigger reads `encrypted`, and adds the password. Anybody else reads that the
 * call is not recorded.
 */
function answerToEncrypt(encrypted: JsonObject, other: string | undefined): CallStartReply {
	const unrecorded = { recordCall: false };
	const answer = { Service_Instructions: unrecorded, encrypted };
	if (other === undefined) return answer;
	return { ...answer, otherAnswer: putRecordingInto(other, unrecorded) };
}

/** @returns text if it is the answer of another system, which n8n then sends as it is */
function answerInTheClear(
	instructions: JsonObject,
	other: string | undefined,
): CallStartReply | string {
	if (other === undefined) return { Service_Instructions: instructions };
	return putRecordingInto(other, instructions);
}

/** Whether a node starts workflows, and then waits for a response. */
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

/** What a trigger has output in this execution; `{}` if another one has started it. */
function outputOfTrigger(context: IExecuteFunctions, { name }: NodeTypeAndVersion): IDataObject {
	const { $ } = context.getWorkflowDataProxy(0);
	try {
		return jsonOfItem(($(name) as { first(): unknown }).first()) as IDataObject;
	} catch {
		return {};
	}
}
