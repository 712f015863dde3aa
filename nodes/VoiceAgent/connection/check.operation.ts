import type { IExecuteFunctions } from 'n8n-workflow';

import type { VoiceAgentError } from '../../errors';
import { itemOf, operation } from '../../fields/operation';
import { recordingPages } from '../../service/list/recordings';
import { readApiDocument } from '../call/callFields';

/** A smaller difference may be the time that the answer took. */
const CLOCK_TOLERANCE_SECONDS = 30;

const IN_CREDENTIAL = 'in the VoiceAgent API credential';

export const check = operation({
	name: 'Check',
	value: 'check',
	action: 'Check connection',
	description:
		'Check the connection, and show what is recognized in the answers of the service. Changes nothing.',
	credentials: [{ name: 'voiceAgentApi' }],
	fields: [
		{
			displayName:
				'Lists the recordings and shows which fields were recognized. Changes and deletes nothing.',
			name: 'whatItDoes',
			type: 'notice',
			default: '',
		},
	],
	async execute(_values, itemIndex) {
		const facts: Facts = {
			recordings: 0,
			listField: null,
			sessionGuidField: null,
			callEndField: null,
			withoutSessionGuid: 0,
			withoutCallEnd: 0,
			complete: true,
			hoursLeft: null,
			clockDifferenceSeconds: 0,
			apiDocument: null,
		};
		let incomplete: VoiceAgentError | undefined;
		for await (const page of recordingPages(this, { itemIndex })) {
			const { recordings, found } = page;
			({ incomplete } = page);
			facts.recordings += recordings.length;
			facts.listField = found.listField || null;
			facts.sessionGuidField ??= found.sessionGuidField ?? null;
			facts.callEndField ??= found.callEndField ?? null;
			facts.clockDifferenceSeconds = Math.round((page.serviceTimeMs - Date.now()) / 1000);
			for (const { sessionGuid, hoursLeft } of recordings) {
				if (sessionGuid === null) facts.withoutSessionGuid += 1;
				if (hoursLeft === null) facts.withoutCallEnd += 1;
				else facts.hoursLeft = Math.min(hoursLeft, facts.hoursLeft ?? hoursLeft);
			}
		}
		facts.complete = incomplete === undefined;
		facts.apiDocument = await apiDocumentPath(this, itemIndex);
		return [itemOf(itemIndex, { message: inWords(facts, incomplete), ...facts })];
	},
});

interface Facts {
	recordings: number;
	listField: string | null;
	sessionGuidField: string | null;
	callEndField: string | null;
	withoutSessionGuid: number;
	withoutCallEnd: number;
	complete: boolean;
	hoursLeft: number | null;
	clockDifferenceSeconds: number;
	apiDocument: string | null;
}

function inWords(facts: Facts, incomplete?: VoiceAgentError): string {
	const { recordings, listField, hoursLeft, apiDocument } = facts;
	const place = listField === null ? '' : ` in the field '${listField}'`;
	const seconds = facts.clockDifferenceSeconds;
	return [
		'The service accepts the API key.',
		recordings === 0
			? `Its list${place} is empty, so its fields cannot be checked yet. Check again after a call that was recorded.`
			: `It lists ${count(recordings)}${place}.`,
		...(recordings === 0
			? []
			: [
					fieldInWords(
						'session GUID',
						facts.sessionGuidField,
						facts.withoutSessionGuid,
						recordings,
					),
					fieldInWords('end of the call', facts.callEndField, facts.withoutCallEnd, recordings),
				]),
		incomplete ? `${incomplete.message}.` : 'Nothing shows that the list is cut off.',
		...(hoursLeft === null ? [] : [`The oldest recording has ${hoursLeft} hours left.`]),
		Math.abs(seconds) < CLOCK_TOLERANCE_SECONDS
			? 'The clocks agree.'
			: `The service's clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'}.`,
		apiDocument === null
			? `No API document was found: check 'API Document Path' ${IN_CREDENTIAL}.`
			: `The API document is at ${apiDocument}.`,
	].join(' ');
}

function fieldInWords(what: string, field: string | null, missing: number, all: number): string {
	const label = what === 'session GUID' ? 'Session GUID Field' : 'Call End Field';
	const remedy = `name its field under '${label}' ${IN_CREDENTIAL}`;
	if (field === null) return `No ${what} was recognized: ${remedy}.`;
	const found = `The ${what} is in the field '${field}'`;
	return missing === 0 ? `${found}.` : `${found}, but not in ${missing} of ${count(all)}.`;
}

function count(recordings: number): string {
	return recordings === 1 ? '1 recording' : `${recordings} recordings`;
}

/** `null` if the service offers none, or it cannot be read. */
async function apiDocumentPath(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<string | null> {
	try {
		return (await readApiDocument(context, itemIndex)).path;
	} catch {
		return null;
	}
}
