import type {
	IDataObject,
	IHookFunctions,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { isJsonObject } from '../service/payload';
import type { CallStartReply, InstructionValues } from '../service/serviceInstructions';
import {
	buildInstructions,
	encrypted,
	instructionsWithoutRecording,
	isCallStartReply,
} from '../service/serviceInstructions';
import { readInstructionValues } from '../fields/instructionFields';
import { checkedValue } from '../fields/checkedValue';
import { passwordsOf } from '../service/recordingPasswords';
import { answerWithin } from './answerWithin';
import { DEFAULT_DEADLINE_SECONDS, deadlineField } from './properties';
import { eventKey, sessionGuidOf } from './session';

const CREDENTIAL = 'voiceAgentRecordingPasswordApi';

interface Prepared {
	/** The reply that the fields of the trigger make. */
	reply: CallStartReply;
	/** Why it does not switch recording on although it should. */
	problem?: string;
	/** What `Encrypt Recording` makes of a reply of the last node. */
	protect: (reply: CallStartReply) => CallStartReply;
}

/** Answers a CallStart webhook in any case, because a live call waits, and starts the workflow. */
export async function onCallStart(
	context: IWebhookFunctions,
	payload: unknown,
	payloadProblem: string | undefined,
): Promise<IWebhookResponseData> {
	const receivedMs = Date.now();
	const prepared = await prepare(context);
	const answerOnly = (why: string): IWebhookResponseData => {
		context.logger.warn(`CallStart was answered and started no workflow: ${why}`);
		context.getResponseObject().status(200).json(prepared.reply);
		return { noWebhookResponse: true };
	};
	if (payloadProblem !== undefined) return answerOnly(payloadProblem);
	try {
		return startWorkflow(context, prepared, payload, receivedMs);
	} catch (error) {
		return answerOnly(textOf(error));
	}
}

function startWorkflow(
	context: IWebhookFunctions,
	{ reply, problem, protect }: Prepared,
	payload: unknown,
	receivedMs: number,
): IWebhookResponseData {
	const response = context.getResponseObject();
	const item = itemOf(context, payload, receivedMs);
	if (problem !== undefined) {
		item.problem = problem;
		context.logger.error(`The call is not recorded: ${problem}`);
	}
	const respond = context.getNodeParameter('respond', 'onReceived');
	if (respond === 'onReceived') {
		// Not by n8n, which first stores the execution and waits for its turn.
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
 * Whether the fields of the trigger make a reply, as far as they are no expressions.
 * @throws VoiceAgentError `invalidParameter`, `encryptionPasswordMissing` or `invalidPassword`
 */
export async function assertInstructions(context: IHookFunctions): Promise<void> {
	const read = (name: string, fallback: unknown) =>
		context.getNodeParameter(name, fallback, { rawExpressions: true });
	const values = readInstructionValues((name, fallback) => {
		const value = read(name, fallback);
		return isExpression(value) ? fallback : value;
	});
	const encrypts = isExpression(read('encryptRecording', false)) || values.encryptRecording;
	const more = Object.entries(values.more).filter(([, value]) => !isExpression(value));
	buildInstructions(
		{ ...values, more: Object.fromEntries(more) },
		encrypts ? await passwordOf(context) : undefined,
	);
	const deadline = read('options.deadlineSeconds', DEFAULT_DEADLINE_SECONDS);
	if (!isExpression(deadline)) parseDeadline(deadline);
}

/** Never throws: where the instructions cannot be built, the reply does not switch recording on. */
async function prepare(context: IWebhookFunctions): Promise<Prepared> {
	let more: InstructionValues['more'] = {};
	let password: string | undefined;
	let isEncrypting = true;
	const protect = (reply: CallStartReply) => (isEncrypting ? encrypted(reply, password) : reply);
	try {
		const values = readInstructionValues((name, fallback) =>
			context.getNodeParameter(name, fallback),
		);
		more = values.more;
		isEncrypting = values.encryptRecording !== false;
		if (isEncrypting) password = await passwordOf(context);
		return { reply: buildInstructions(values, password), protect };
	} catch (error) {
		return { reply: instructionsWithoutRecording(more), problem: textOf(error), protect };
	}
}

/** @throws VoiceAgentError `encryptionPasswordMissing` or `invalidPassword` */
async function passwordOf(context: IWebhookFunctions | IHookFunctions): Promise<string> {
	const isSelected = context.getNode().credentials?.[CREDENTIAL] !== undefined;
	const [password] = isSelected ? passwordsOf(await context.getCredentials(CREDENTIAL)) : [];
	if (!password) throw new VoiceAgentError('encryptionPasswordMissing');
	return password;
}

function itemOf(context: IWebhookFunctions, payload: unknown, receivedMs: number): IDataObject {
	const found = sessionGuidOf(context, payload);
	const sessionGuid = 'sessionGuid' in found ? found.sessionGuid : null;
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
 * Milliseconds of a deadline in seconds.
 * @throws VoiceAgentError `invalidParameter`
 */
function parseDeadline(seconds: unknown): number {
	return (checkedValue(deadlineField, seconds) as number) * 1000;
}

function isExpression(value: unknown): boolean {
	return typeof value === 'string' && value.startsWith('=');
}

function textOf(error: unknown): string {
	if (error instanceof VoiceAgentError) return `${error.message}. ${error.description}`;
	return error instanceof Error ? error.message : 'the instructions cannot be read';
}
