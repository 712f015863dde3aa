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
		const facts = { ...nothingYet };
		let incomplete: VoiceAgentError | undefined;
		for await (const page of recordingPages(this, { itemIndex })) {
			const { recordings, found } = page;
			({ incomplete } = page);
			facts.recordings += recordings.length;
			facts.listField ??= found.listField || null;
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

const nothingYet = {
	recordings: 0,
	listField: null as string | null,
	sessionGuidField: null as string | null,
	callEndField: null as string | null,
	withoutSessionGuid: 0,
	withoutCallEnd: 0,
	complete: true,
	hoursLeft: null as number | null,
	clockDifferenceSeconds: 0,
	apiDocument: null as string | null,
};

type Facts = typeof nothingYet;

function inWords(facts: Facts, incomplete?: VoiceAgentError): string {
	const sentences = ['The service accepts the API key.', ...listInWords(facts)];
	sentences.push(incomplete ? `${incomplete.fullText}` : 'Nothing shows that the list is cut off.');
	if (facts.hoursLeft !== null) {
		sentences.push(`The oldest recording has ${facts.hoursLeft} hours left.`);
	}
	const seconds = facts.clockDifferenceSeconds;
	const difference = `${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'}`;
	const isClose = Math.abs(seconds) < CLOCK_TOLERANCE_SECONDS;
	sentences.push(isClose ? 'The clocks agree.' : `The service's clock is ${difference}.`);
	sentences.push(
		facts.apiDocument === null
			? `No API document was found: check 'API Document Path' ${IN_CREDENTIAL}.`
			: `The API document is at ${facts.apiDocument}.`,
	);
	return sentences.join(' ');
}

function listInWords(facts: Facts): string[] {
	const { recordings, listField, sessionGuidField, callEndField } = facts;
	const place = listField === null ? '' : ` in the field '${listField}'`;
	if (recordings === 0) {
		return [
			`Its list${place} is empty, so its fields cannot be checked yet. Check again after a call that was recorded.`,
		];
	}
	const fieldInWords = (what: string, label: string, field: string | null, missing: number) => {
		if (field === null) {
			return `No ${what} was recognized: name its field under '${label}' ${IN_CREDENTIAL}.`;
		}
		const found = `The ${what} is in the field '${field}'`;
		return missing === 0 ? `${found}.` : `${found}, but not in ${missing} of ${count(recordings)}.`;
	};
	return [
		`It lists ${count(recordings)}${place}.`,
		fieldInWords('session GUID', 'Session GUID Field', sessionGuidField, facts.withoutSessionGuid),
		fieldInWords('end of the call', 'Call End Field', callEndField, facts.withoutCallEnd),
	];
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
