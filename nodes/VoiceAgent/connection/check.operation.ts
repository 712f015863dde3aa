import type { IExecuteFunctions } from 'n8n-workflow';

import { itemOf, operation } from '../../fields/operation';
import { isJsonObject } from '../../service/payload';
import type { ReadRecordings } from '../../service/recordings';
import { readRecordings } from '../../service/recordings';
import { readApiDocument } from '../call/callFields';

/** A smaller difference may be the time that the answer took. */
const CLOCK_TOLERANCE_SECONDS = 30;

const IN_CREDENTIAL = 'in the VoiceAgent API credential';

export const check = operation({
	name: 'Check',
	value: 'check',
	action: 'Check connection',
	description: 'Say what is recognized in the answers of the service. Changes nothing.',
	credentials: [{ name: 'voiceAgentApi' }],
	fields: [
		{
			displayName:
				'Lists the recordings and says in words which fields were recognized. Nothing is changed or deleted.',
			name: 'whatItDoes',
			type: 'notice',
			default: '',
		},
	],
	async execute(_values, itemIndex) {
		const read = await readRecordings(this, { itemIndex });
		const { recordings, found, incomplete, serviceTimeMs } = read;
		const hours = recordings.flatMap(({ hoursLeft }) => hoursLeft ?? []);
		const facts = {
			recordings: recordings.length,
			listField: found.listField || null,
			sessionGuidField: found.sessionGuidField ?? null,
			callEndField: found.callEndField ?? null,
			withoutSessionGuid: recordings.filter((one) => one.sessionGuid === null).length,
			withoutCallEnd: recordings.length - hours.length,
			complete: incomplete === undefined,
			hoursLeft: hours.length > 0 ? hours.reduce((a, b) => Math.min(a, b)) : null,
			clockDifferenceSeconds: Math.round((serviceTimeMs - Date.now()) / 1000),
			apiDocument: await apiDocumentPath(this, itemIndex),
		};
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
	hoursLeft: number | null;
	clockDifferenceSeconds: number;
	apiDocument: string | null;
}

function inWords(facts: Facts, incomplete: ReadRecordings['incomplete']): string {
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
		const { path, json } = await readApiDocument(context, itemIndex);
		return isJsonObject(json) && isJsonObject(json.paths) ? path : null;
	} catch {
		return null;
	}
}
