import type {
	IDataObject,
	IHookFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { checkedValue } from '../fields/checkedValue';
import type { EnteredInstructions } from '../fields/instructionFields';
import { checkedInstructions, readInstructions } from '../fields/instructionFields';
import { isJsonObject } from '../data/json';
import type { CredentialContext } from '../service/readCredential';
import { recordingPasswords } from '../service/recordingPasswords';
import type { CallStartReply } from '../service/serviceInstructions';
import {
	buildInstructions,
	enforceEncryption,
	isCallStartReply,
} from '../service/serviceInstructions';
import { answerWithin } from './answerWithin';
import { DEFAULT_DEADLINE_SECONDS, deadlineField } from './properties';
import type { Received } from './session';
import { eventKey, sessionsOf } from './session';

interface Prepared {
	/** The reply that follows from the fields of the trigger. */
	reply: CallStartReply;
	/** Why it does not switch recording on although the fields ask for it. */
	problem?: string;
	/** Applies `Encrypt Recording` to a reply of the last node. */
	protect: (reply: CallStartReply) => CallStartReply;
}

/** Answers a CallStart webhook whatever happens, because a live call waits, and starts the workflow. */
export async function onCallStart(
	context: IWebhookFunctions,
	received: Received,
): Promise<IWebhookResponseData> {
	const receivedMs = Date.now();
	const prepared = await prepare(context);
	const answerOnly = (why: string): IWebhookResponseData => {
		context.logger.warn(`CallStart was answered and started no workflow: ${why}`);
		context.getResponseObject().status(200).json(prepared.reply);
		return { noWebhookResponse: true };
	};
	if (received.problem !== undefined) return answerOnly(received.problem);
	try {
		return await startWorkflow(context, prepared, received, receivedMs);
	} catch (error) {
		return answerOnly(textOf(error));
	}
}

async function startWorkflow(
	context: IWebhookFunctions,
	{ reply, problem, protect }: Prepared,
	received: Received,
	receivedMs: number,
): Promise<IWebhookResponseData> {
	const response = context.getResponseObject();
	const item = itemOf(received, receivedMs);
	if (problem !== undefined) {
		item.problem = problem;
		context.logger.error(`The call is not recorded: ${problem}`);
	}
	const respond = context.getNodeParameter('respond', 'onReceived');
	if (respond === 'onReceived') {
		// Answered here, because n8n would first store the execution and wait for its turn.
		response.status(200).json(reply);
		return { noWebhookResponse: true, workflowData: [[{ json: item }]] };
	}

	const deadlineMs = deadlineOf(context);
	answerWithin(response, {
		deadlineMs,
		fallback: reply,
		replyOf: (body) => {
			if (!isCallStartReply(body)) return undefined;
			return respond === 'lastNode' ? protect(body) : body;
		},
		onFallback: (why) => context.logger.warn(`CallStart was answered with the fallback: ${why}`),
	});
	item.answerBy = new Date(receivedMs + deadlineMs).toISOString();
	return { workflowData: [[{ json: item }]] };
}

/**
 * Makes sure that the fields of the trigger make a reply, as far as they are not expressions.
 * @throws VoiceAgentError `invalidParameter`, `encryptionPasswordMissing` or `invalidPassword`
 */
export async function assertInstructions(context: IHookFunctions): Promise<void> {
	const read = (name: string, fallback: unknown) =>
		context.getNodeParameter(name, fallback, { rawExpressions: true });
	const entered = readInstructions((name, fallback) => {
		const value = read(name, fallback);
		return isExpression(value) ? fallback : value;
	});
	const more = Object.entries(entered.moreInstructions).filter(([, value]) => !isExpression(value));
	const mayEncrypt = isExpression(read('encryptRecording', false)) || entered.encryptRecording;
	const password = mayEncrypt ? await passwordOf(context) : undefined;
	const moreInstructions = Object.fromEntries(more);
	buildInstructions(checkedInstructions({ ...entered, moreInstructions }), password);
	const deadline = read('options.deadlineSeconds', DEFAULT_DEADLINE_SECONDS);
	if (!isExpression(deadline)) parseDeadline(deadline);
}

/** Never throws: if the instructions cannot be built, the reply does not switch recording on. */
async function prepare(context: IWebhookFunctions): Promise<Prepared> {
	let entered: EnteredInstructions | undefined;
	let password: string | undefined;
	let isEncrypting = true;
	const protect = (reply: CallStartReply) =>
		isEncrypting ? enforceEncryption(reply, password) : reply;
	try {
		entered = readInstructions((name, fallback) => context.getNodeParameter(name, fallback));
		isEncrypting = entered.encryptRecording !== false;
		if (isEncrypting) password = await passwordOf(context);
		return { reply: buildInstructions(checkedInstructions(entered), password), protect };
	} catch (error) {
		return {
			reply: withoutRecording(entered?.moreInstructions ?? {}),
			problem: textOf(error),
			protect,
		};
	}
}

/** The reply if the entered one cannot be built: no recording, and the other instructions if they can be used. */
export function withoutRecording(moreInstructions: object): CallStartReply {
	const off = { recordCall: false, recordCallFormat: undefined, encryptRecording: false };
	try {
		return buildInstructions(checkedInstructions({ ...off, moreInstructions }), undefined);
	} catch {
		// The caller knows what is wrong already.
		return withoutRecording({});
	}
}

/** @throws VoiceAgentError `encryptionPasswordMissing` or `invalidPassword` */
async function passwordOf(context: CredentialContext): Promise<string> {
	const [password] = await recordingPasswords(context);
	if (!password) throw new VoiceAgentError('encryptionPasswordMissing');
	return password;
}

function itemOf(received: Received, receivedMs: number): IDataObject {
	const found = sessionsOf(received);
	const [only, ...others] = 'sessions' in found ? found.sessions : [];
	const isOne = only !== undefined && others.length === 0;
	const sessionGuid = isOne ? only.sessionGuid : null;
	const payload = isOne ? only.payload : received.payload;
	return {
		event: 'callStart',
		sessionGuid,
		eventKey: sessionGuid === null ? null : eventKey('callStart', sessionGuid),
		receivedAt: new Date(receivedMs).toISOString(),
		payload: (isJsonObject(payload) ? payload : { body: payload ?? null }) as IDataObject,
	};
}

function deadlineOf(context: IWebhookFunctions): number {
	try {
		return parseDeadline(
			context.getNodeParameter('options.deadlineSeconds', DEFAULT_DEADLINE_SECONDS),
		);
	} catch {
		return DEFAULT_DEADLINE_SECONDS * 1000;
	}
}

/**
 * A deadline in milliseconds, from seconds.
 * @throws VoiceAgentError `invalidParameter`
 */
function parseDeadline(seconds: unknown): number {
	return (checkedValue(deadlineField, seconds) as number) * 1000;
}

function isExpression(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('=');
}

function textOf(error: unknown): string {
	if (error instanceof VoiceAgentError) return error.fullText;
	return error instanceof Error ? error.message : 'the instructions cannot be read';
}
