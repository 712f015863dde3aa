import type {
	IHookFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { checkedValue } from '../fields/checkedValue';
import { checkedInstructions, readInstructions } from '../fields/instructionFields';
import type { CredentialContext } from '../service/credentials/readCredential';
import { recordingPasswords } from '../service/credentials/recordingPasswords';
import type { CallStartReply } from '../service/serviceInstructions';
import {
	buildInstructions,
	isCallStartReply,
	passwordFields,
} from '../service/serviceInstructions';
import { newSeal } from '../service/sealedPassword';
import type { Admitted } from './access';
import { isExpression, isProtected } from './access';
import { answerWithin } from './answerWithin';
import { deadlineField } from './properties';
import { itemOf, receive } from './session';

/** Gets the name of a parameter and its default. */
type Read = (name: string, fallback: unknown) => unknown;

/** What follows from the fields of the trigger. */
interface Prepared {
	reply: CallStartReply;
	/** Why the reply does not switch recording on although the fields ask for it. */
	error?: unknown;
}

/** Answers a CallStart webhook whatever happens, because a live call waits, and starts the workflow. */
export async function onCallStart(
	context: IWebhookFunctions,
	{ query, isProven }: Admitted,
): Promise<IWebhookResponseData> {
	const receivedMs = Date.now();
	const read: Read = (name, fallback) => context.getNodeParameter(name, fallback);
	const response = context.getResponseObject();
	const { reply, error } = await prepare(context, read, isProven);
	try {
		const { payload, sessions } = receive(context, query);
		// Of several sessions, none is that of the call.
		const only = sessions.length === 1 ? sessions[0] : undefined;
		const item = itemOf('callStart', only ?? { sessionGuid: null, payload }, receivedMs);
		if (error !== undefined) {
			item.problem = textOf(error);
			context.logger.error(`The call is not recorded: ${item.problem}`);
		}
		const workflowData = [[{ json: item }]];
		if (read('respond', 'onReceived') !== 'responseNode') {
			// Answered here, because n8n would first store the execution and wait for its turn.
			response.status(200).json(reply);
			return { noWebhookResponse: true, workflowData };
		}
		const deadlineMs = deadlineOf(read);
		item.answerBy = new Date(receivedMs + deadlineMs).toISOString();
		const { key, open } = newSeal();
		if (isProven) item.answerKey = key;
		answerWithin(response, {
			deadlineMs,
			fallback: reply,
			replyOf: (body) => (isCallStartReply(body) ? opened(body, open) : undefined),
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
 * Makes sure that the fields of the trigger make a reply, as far as they are not expressions, and that only the service
 * can get the recording password, which is in the reply.
 *
 * @throws VoiceAgentError `passwordUnprotected`, `invalidParameter`, `encryptionPasswordMissing` or `invalidPassword`
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
	const isSafe = isProtected(context);
	const { error } = await prepare(context, rawOrOn, isSafe);
	if (error !== undefined) throw error;
	if (!isSafe && read('respond', 'onReceived') !== 'onReceived' && asksForPassword(context)) {
		throw new VoiceAgentError('passwordUnprotected');
	}
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
		const entered = readInstructions(read);
		prepared.reply = buildInstructions(checkedInstructions({ ...entered, ...off }), undefined);
		const [password] = entered.encryptRecording ? await recordingPasswords(context) : [];
		const reply = buildInstructions(checkedInstructions(entered), password);
		if (!isProven && passwordFields(reply).length > 0)
			throw new VoiceAgentError('passwordUnprotected');
		prepared.reply = reply;
	} catch (error) {
		prepared.error = error;
	}
	return prepared;
}

/** Whether an operation Respond behind the trigger may answer with a password. */
function asksForPassword(context: IHookFunctions): boolean {
	return context
		.getChildNodes(context.getNode().name, { includeNodeParameters: true })
		.some(({ parameters: { operation, recordCall, encryptRecording } = {} }) =>
			[operation === 'respond', recordCall, encryptRecording].every(Boolean),
		);
}

/** The answer of the operation Respond with its password; `undefined` if that is not sealed for this request. */
function opened(
	reply: CallStartReply,
	open: (sealed: unknown) => string | undefined,
): CallStartReply | undefined {
	const { Service_Instructions: block } = reply;
	if (passwordFields(reply).length === 0) return reply;
	const recordCallPassword = open(block.recordCallPassword);
	const isOnly = passwordFields(reply).length === 1 && recordCallPassword !== undefined;
	return isOnly ? { Service_Instructions: { ...block, recordCallPassword } } : undefined;
}

/**
 * The deadline in milliseconds.
 * @throws VoiceAgentError `invalidParameter`
 */
function deadlineOf(read: Read): number {
	const seconds = read('options.deadlineSeconds', deadlineField.default);
	return (checkedValue(deadlineField, seconds) as number) * 1000;
}

function textOf(error: unknown): string {
	return error instanceof VoiceAgentError ? error.fullText : (error as Error).message;
}
