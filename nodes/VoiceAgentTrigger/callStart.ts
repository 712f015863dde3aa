import type { IHookFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isJsonObject } from '../data/json';
import { VoiceAgentError } from '../errors';
import { moreInstructionsField, recordingFields } from '../fields/instructionFields';
import { checkedValue, checkedValues, enteredValues } from '../fields/values';
import { type Account, encryptionPassword } from '../service/account';
import type { CallStartReply } from '../service/serviceInstructions';
import {
	buildInstructions,
	hasPassword,
	instructionsIn,
	isCallStartReply,
	putRecordingInto,
} from '../service/serviceInstructions';
import { assertEvent, OtherEvent } from '../service/webhooks/namedEvent';
import { requestOf } from '../service/webhooks/request';
import { type Admitted, isExpression, isProtected } from './access';
import { answerWithin } from './answerWithin';
import { deadlineField } from './properties';
import { receive, sessionJson } from './session';

/** Reads a parameter, by its name and with its default. */
type Read = (name: string, fallback: unknown) => unknown;

interface Prepared {
	reply: CallStartReply;
	/** Also for the operation Respond, whose instructions never have it. */
	password?: string;
	/** Why the reply does not switch recording on although the fields ask for it. */
	error?: unknown;
}

/**
 * Answers a CallStart webhook whatever happens, because a live call waits, and starts the workflow.
 */
export async function onCallStart(
	context: IWebhookFunctions,
	{ query, isProven, account }: Admitted,
): Promise<IWebhookResponseData> {
	const receivedMs = Date.now();
	const read: Read = (name, fallback) => context.getNodeParameter(name, fallback);
	const response = context.getResponseObject();
	const { reply, error, password } = prepare(account, read, isProven);
	try {
		const { payload, sessions, numberFields } = receive(context, query, account);
		assertEvent('callStart', payload, requestOf(context));
		// Of several sessions, none is that of the call.
		const session = sessions.length === 1 ? sessions[0] : undefined;
		const json = sessionJson('callStart', session ?? { sessionGuid: null, payload }, {
			receivedMs,
			numberFields,
		});
		if (error !== undefined) {
			json.problem = textOf(error);
			context.logger.error(`The call is not recorded: ${json.problem}`);
		}
		const workflowData = [[{ json }]];
		if (read('respond', null) !== 'responseNode') {
			// Answered here, because n8n would first store the execution and wait for its turn.
			response.status(200).json(reply);
			return { noWebhookResponse: true, workflowData };
		}
		const deadlineMs = deadlineOf(read);
		// The operation Respond reads these two.
		json.answerBy = new Date(receivedMs + deadlineMs).toISOString();
		json.canEncrypt = password !== undefined;
		answerWithin(response, {
			deadlineMs,
			fallback: reply,
			replyOf: (body) => replyFrom(body, password),
			onFallback: (why) => context.logger.warn(`CallStart was answered with the fallback: ${why}`),
		});
		return { workflowData };
	} catch (problem) {
		// No call waits for the answer to another webhook.
		if (problem instanceof OtherEvent) return await Promise.reject(problem);
		context.logger.warn(`CallStart was answered and started no workflow: ${textOf(problem)}`);
		response.status(200).json(reply);
		return { noWebhookResponse: true };
	}
}

/**
 * Makes sure that the fields of the trigger make a reply, as far as they are not expressions, and
 * that only the service can get the recording password, which is in the reply.
 *
 * @throws VoiceAgentError `passwordUnprotected`, `invalidParameter` or `encryptionPasswordMissing`
 */
export function assertInstructions(context: IHookFunctions, account: Account): void {
	const read: Read = (name, fallback) =>
		context.getNodeParameter(name, fallback as null, { rawExpressions: true });
	const readOrAssume: Read = (name, fallback) => {
		const value = read(name, fallback);
		if (!isExpression(value)) return value;
		// An expression may turn recording and encryption on. Any other one is taken for its default.
		return typeof fallback === 'boolean' ? true : fallback;
	};
	const { error } = prepare(account, readOrAssume, isProtected(context));
	if (error !== undefined) throw error;
	deadlineOf(read);
}

/**
 * Prepares the reply, in steps that each make a better one. If a step fails, the reply of the step
 * before counts, so that there is always one.
 */
function prepare(account: Account, read: Read, isProven: boolean): Prepared {
	const prepared: Prepared = { reply: { Service_Instructions: { recordCall: false } } };
	try {
		const entered = enteredValues(recordingFields, (field) => read(field.name, field.default));
		const { name, default: none } = moreInstructionsField;
		const moreInstructions = read(`options.${name}`, none);

		// First the instructions without recording, which the fewest fields can spoil.
		const off = { recordCall: false, encryptRecording: false };
		const unrecorded = checkedValues(recordingFields, { ...entered, ...off });
		prepared.reply = buildInstructions({ ...unrecorded, moreInstructions }, undefined);

		// Then as they are entered.
		const values = checkedValues(recordingFields, entered);
		const isEncrypted = values.recordCall && values.encryptRecording;
		if (isEncrypted && !isProven) throw new VoiceAgentError('passwordUnprotected');
		const mayRespondEncrypted = isProven && read('respond', null) === 'responseNode';
		if (isEncrypted || mayRespondEncrypted) {
			prepared.password = encryptionPassword(account);
		}
		prepared.reply = buildInstructions({ ...values, moreInstructions }, prepared.password);
	} catch (error) {
		prepared.error = error;
	}
	return prepared;
}

/**
 * The reply from what the workflow answers. The instructions of the operation Respond have no
 * password: if they are to be encrypted, it is added here.
 *
 * @returns text if it has to keep each byte; `undefined` if the answer cannot be used
 */
function replyFrom(body: unknown, password: string | undefined): object | string | undefined {
	if (typeof body === 'string') {
		const instructions = instructionsIn(body);
		return instructions && !hasPassword(instructions) ? body : undefined;
	}
	if (!isCallStartReply(body)) return undefined;
	const { encrypted, otherAnswer, Service_Instructions: instructions } = body;
	// Without encryption. A password that another node has put in is not passed on.
	if (!isJsonObject(encrypted)) return hasPassword(instructions) ? undefined : body;
	if (password === undefined) return undefined;
	const recording = { ...encrypted, recordCallPassword: password };
	if (otherAnswer === undefined) return { Service_Instructions: recording };
	if (instructionsIn(otherAnswer) === undefined) return undefined;
	return putRecordingInto(otherAnswer, recording);
}

/** In milliseconds. */
function deadlineOf(read: Read): number {
	const seconds = read('options.deadlineSeconds', deadlineField.default);
	return (checkedValue(deadlineField, seconds) as number) * 1000;
}

function textOf(error: unknown): string {
	return error instanceof VoiceAgentError ? error.fullText : (error as Error).message;
}
