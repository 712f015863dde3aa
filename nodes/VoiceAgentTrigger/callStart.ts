import type { IHookFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isJsonObject } from '../data/json';
import { VoiceAgentError } from '../errors';
import { instructionFields } from '../fields/instructionFields';
import { checkedValue, checkedValues, enteredValues } from '../fields/values';
import { type CredentialContext, recordingPasswords } from '../service/optionalCredentials';
import type { CallStartReply } from '../service/serviceInstructions';
import { buildInstructions, isCallStartReply } from '../service/serviceInstructions';
import { type Admitted, isExpression, isProtected } from './access';
import { answerWithin } from './answerWithin';
import { deadlineField } from './properties';
import { itemOf, receive } from './session';

/** Gets the name of a parameter and its default. */
type Read = (name: string, fallback: unknown) => unknown;

interface Prepared {
	reply: CallStartReply;
	/** Also for the operation Respond, which never has it. */
	password?: string;
	/** Why the reply does not switch recording on although the fields ask for it. */
	error?: unknown;
}

/**
 * Answers a CallStart webhook whatever happens, because a live call waits, and starts the workflow.
 */
export async function onCallStart(
	context: IWebhookFunctions,
	{ query, isProven }: Admitted,
): Promise<IWebhookResponseData> {
	const receivedMs = Date.now();
	const read: Read = (name, fallback) => context.getNodeParameter(name, fallback);
	const response = context.getResponseObject();
	const { reply, error, password } = await prepare(context, read, isProven);
	try {
		const { payload, sessions } = await receive(context, query);
		// Of several sessions, none is that of the call.
		const only = sessions.length === 1 ? sessions[0] : undefined;
		const item = itemOf('callStart', only ?? { sessionGuid: null, payload }, receivedMs);
		if (error !== undefined) {
			item.problem = textOf(error);
			context.logger.error(`The call is not recorded: ${item.problem}`);
		}
		const workflowData = [[{ json: item }]];
		if (read('respond', null) !== 'responseNode') {
			// Answered here, because n8n would first store the execution and wait for its turn.
			response.status(200).json(reply);
			return { noWebhookResponse: true, workflowData };
		}
		const deadlineMs = deadlineOf(read);
		item.answerBy = new Date(receivedMs + deadlineMs).toISOString();
		item.canEncrypt = password !== undefined;
		answerWithin(response, {
			deadlineMs,
			fallback: reply,
			replyOf: (body) => replyFrom(body, password),
			onFallback: (why) => context.logger.warn(`CallStart was answered with the fallback: ${why}`),
		});
		return { workflowData };
	} catch (problem) {
		context.logger.warn(`CallStart was answered and started no workflow: ${textOf(problem)}`);
		response.status(200).json(reply);
		return { noWebhookResponse: true };
	}
}

/**
 * Makes sure that the fields of the trigger make a reply, as far as they are not expressions, and
 * that only the service can get the recording password, which is in the reply.
 * @throws VoiceAgentError `passwordUnprotected`, `invalidParameter` or `encryptionPasswordMissing`
 */
export async function assertInstructions(context: IHookFunctions): Promise<void> {
	const read: Read = (name, fallback) =>
		context.getNodeParameter(name, fallback as null, { rawExpressions: true });
	const rawOrOn: Read = (name, fallback) => {
		const value = read(name, fallback);
		// An expression may turn recording and encryption on.
		const known = typeof fallback === 'boolean' ? true : fallback;
		return isExpression(value) ? known : value;
	};
	const { error } = await prepare(context, rawOrOn, isProtected(context));
	if (error !== undefined) throw error;
	deadlineOf(read);
}

/** Never throws: each step makes a better reply, and that of the last step that succeeds counts. */
async function prepare(
	context: CredentialContext,
	read: Read,
	isProven: boolean,
): Promise<Prepared> {
	const off = { recordCall: false, encryptRecording: false };
	const prepared: Prepared = { reply: { Service_Instructions: { recordCall: false } } };
	try {
		const entered = enteredValues(instructionFields, (field) => read(field.name, field.default));
		const unrecorded = checkedValues(instructionFields, { ...entered, ...off });
		prepared.reply = buildInstructions(unrecorded, undefined);
		const values = checkedValues(instructionFields, entered);
		const isEncrypted = values.recordCall && values.encryptRecording;
		if (isEncrypted && !isProven) throw new VoiceAgentError('passwordUnprotected');
		const isNeeded = isEncrypted || (isProven && read('respond', null) === 'responseNode');
		[prepared.password] = isNeeded ? await recordingPasswords(context) : [];
		prepared.reply = buildInstructions(values, prepared.password);
	} catch (error) {
		prepared.error = error;
	}
	return prepared;
}

/**
 * The instructions of the operation Respond, which leaves the password to us; `undefined` if they
 * are not usable.
 */
function replyFrom(body: unknown, password: string | undefined): CallStartReply | undefined {
	if (!isCallStartReply(body)) return undefined;
	const { encrypted, Service_Instructions: block } = body;
	if (!isJsonObject(encrypted)) return 'recordCallPassword' in block ? undefined : body;
	return password === undefined
		? undefined
		: { Service_Instructions: { ...encrypted, recordCallPassword: password } };
}

/** In milliseconds. */
function deadlineOf(read: Read): number {
	const seconds = read('options.deadlineSeconds', deadlineField.default);
	return (checkedValue(deadlineField, seconds) as number) * 1000;
}

function textOf(error: unknown): string {
	return error instanceof VoiceAgentError ? error.fullText : (error as Error).message;
}
