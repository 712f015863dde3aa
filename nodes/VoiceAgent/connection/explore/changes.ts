import type { IExecuteFunctions } from 'n8n-workflow';

import { invalid } from '../../../errors';
import { declaresFailure } from '../../../service/http/request';
import { recordingPath, RECORDINGS_PATH } from '../../../service/recordings';
import { findList } from '../../../service/list/findList';
import { findSessionGuid } from '../../../service/sessionGuid';
import { requireMayPlace } from '../../call/callGuard';
import { guardDestination } from '../../call/destinationGuard';
import { MAKE_CALL_PATH } from '../../call/make.operation';
import { oncePerItem } from '../../oncePerItem';
import { NUMBER_FIELD, numberBody } from '../../requestBody';
import type { Asker, Exchange } from './asker';
import { notAsked } from './access';
import type { ListFacts } from './recordings';
import type { Finding } from './settings';

/*
 * What changes something at the service: one call and one deletion, each only if a person has typed
 * what it is about. An expression could come from anywhere, such as a model or an input item.
 */

/**
 * The text of an option, as it was typed.
 *
 * @throws VoiceAgentError `invalidParameter` for an expression
 */
function typedOption(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	label: string,
): string {
	const raw: unknown = context.getNodeParameter(`options.${name}`, itemIndex, '', {
		rawExpressions: true,
	});
	if (typeof raw !== 'string' || raw.startsWith('=')) {
		throw invalid(`'${label}' must be typed, and not come from an expression`);
	}
	return raw.trim();
}

/** Places one call. It is never sent twice, whatever comes back. */
export async function exploreCall(
	context: IExecuteFunctions,
	itemIndex: number,
	asker: Asker,
	to: string,
): Promise<Finding> {
	const question = 'What is answered when a call is made?';
	if (to === '') {
		const advice = "Enter your own number as 'Place a Call To', to see the answer";
		return { question, answer: 'No call was placed.', recognized: null, advice };
	}
	const body = callTo(context, to);
	const unclearReason = 'callMayHaveBeenPlaced';
	const exchange = await oncePerItem(context, itemIndex, { body, unclearReason }, async () =>
		asker.ask('makeCall', MAKE_CALL_PATH, { method: 'POST', body }),
	);
	const { answer } = exchange ?? {};
	if (!answer) return { question, answer: notAsked(exchange), recognized: null };
	const isPlaced = answer.status < 300 && !declaresFailure(answer, answer.json, 'POST');
	const said = isPlaced ? 'The call counts as placed' : 'The call counts as refused';
	const found = findSessionGuid(answer.json);
	const guid = 'sessionGuid' in found ? 'with a session GUID' : 'without a session GUID';
	const finding = { question, answer: `Status ${answer.status}, ${guid}. ${said}.` };
	if (isPlaced) return { ...finding, recognized: true };
	const advice = "Choose 'Using Form of the Service' in Call: Make, or ask which fields a call has";
	return { ...finding, recognized: false, advice };
}

/** The request for a call to this number only. */
function callTo(context: IExecuteFunctions, to: string) {
	const limits = { allowedDestinations: to, maxCalls: 1 };
	requireMayPlace(context, limits);
	return guardDestination(numberBody(to, NUMBER_FIELD, {}), limits);
}

/** What a person has typed, before anything is asked. */
export interface Changes {
	/** Empty if no call is to be placed. */
	placeCallTo: string;
	/** Session GUID; empty if nothing is to be deleted. */
	deleteRecording: string;
}

/**
 * Reads and checks what is to be changed.
 *
 * @throws VoiceAgentError `invalidParameter`, or `callRefused`
 */
export function changesOf(
	context: IExecuteFunctions,
	itemIndex: number,
	isDeletionConfirmed: boolean,
): Changes {
	const placeCallTo = typedOption(context, itemIndex, 'placeCallTo', 'Place a Call To');
	const deleteRecording = typedOption(context, itemIndex, 'deleteRecording', 'Delete Recording');
	if (placeCallTo !== '') callTo(context, placeCallTo);
	if (deleteRecording !== '') recordingPath(deleteRecording);
	if (deleteRecording !== '' && !isDeletionConfirmed) {
		throw invalid(
			"'Delete Recording' deletes for good, and nothing proves that the recording is archived. Turn on 'Delete Without Proof' if you mean that",
		);
	}
	return { placeCallTo, deleteRecording };
}

/**
 * Deletes one recording without proof that it is archived, so it must be listed with exactly this
 * session GUID.
 *
 * @throws VoiceAgentError `invalidParameter`
 */
export async function exploreDelete(
	asker: Asker,
	facts: ListFacts | undefined,
	sessionGuid: string,
): Promise<Finding> {
	const question = 'What is answered when a recording is deleted?';
	if (sessionGuid === '') {
		const advice = "Enter a recording that nobody needs as 'Delete Recording', to see the answer";
		return { question, answer: 'Nothing was deleted.', recognized: null, advice };
	}
	const path = recordingPath(sessionGuid);
	const isListed = (one: ListFacts | undefined) =>
		one?.list.records.some((record) => {
			const found = findSessionGuid(record, one.named.sessionGuidField);
			return 'sessionGuid' in found && found.sessionGuid === sessionGuid;
		}) ?? false;
	if (!facts || !isListed(facts)) {
		throw invalid(
			"'Delete Recording' must be a session GUID on the first page of the list, spelled exactly as there",
		);
	}
	const deleted = await asker.ask('delete', path, { method: 'DELETE' });
	const again = await asker.ask('deleteAgain', path, { method: 'DELETE' });
	const download = await asker.ask('getDeleted', path, { isFile: true });
	const isServed = download?.answer?.file !== undefined;
	const after = await asker.ask('listAfterDelete', RECORDINGS_PATH);
	const stillListed = isListed(after && { ...facts, list: listOf(after, facts) });
	const { answer } = deleted ?? {};
	if (!answer) return { question, answer: notAsked(deleted), recognized: null };
	const parts = [
		`Status ${answer.status}`,
		...(isServed ? ['the service still sends the recording'] : []),
		`the list ${stillListed ? 'still shows the recording' : 'no longer shows it'}`,
		`deleted again: status ${again?.answer?.status ?? 'unknown'}`,
	];
	return { question, answer: `${parts.join('; ')}.`, recognized: !stillListed && !isServed };
}

function listOf({ answer }: Exchange, { named }: ListFacts): ListFacts['list'] {
	return findList(answer?.json, named);
}
