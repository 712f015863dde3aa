import type { IDataObject } from 'n8n-workflow';

import { withoutSecrets } from '../../data/hidePasswords';
import type { VoiceAgentError } from '../../errors';
import { operation, outputItem } from '../../fields/operation';
import { accountFields } from '../../service/account';
import { secretsOf } from '../../service/apiCredential';
import { type ListedRecording, recordingPages } from '../../service/recordings';

export const check = operation({
	name: 'Check',
	value: 'check',
	action: 'Check connection',
	description:
		'Check the connection, and show what is recognized in the answers of the service. Changes nothing.',
	usesAccount: true,
	fields: [],
	async execute(_values, itemIndex) {
		const facts: Facts = {
			recordings: 0,
			listField: null,
			example: null,
			withoutSessionGuid: 0,
			withoutCallEnd: 0,
			complete: true,
			hoursLeft: null,
		};
		let incomplete: VoiceAgentError | undefined;
		for await (const page of recordingPages(this, { itemIndex })) {
			incomplete = page.incomplete;
			facts.recordings += page.recordings.length;
			facts.listField = page.listField || null;
			for (const recording of page.recordings) addFacts(facts, recording);
		}
		facts.complete = incomplete === undefined;
		const secrets = secretsOf(await accountFields(this, itemIndex));
		const shown = withoutSecrets({ message: inWords(facts, incomplete), ...facts }, secrets);
		return [outputItem(itemIndex, shown)];
	},
});

/** What is known of the list; the output, next to a message. */
interface Facts extends IDataObject {
	/** How many are listed. */
	recordings: number;
	/** Path of the list in the answer; `null` if the answer itself is the list. */
	listField: string | null;
	/** The first recording, as it is recognized. */
	example: Pick<ListedRecording, 'sessionGuid' | 'endedAt'> | null;
	withoutSessionGuid: number;
	withoutCallEnd: number;
	complete: boolean;
	/** Until the service purges the first one; `null` if that is not known of any. */
	hoursLeft: number | null;
}

function addFacts(facts: Facts, { sessionGuid, endedAt, hoursLeft }: ListedRecording): void {
	facts.example ??= { sessionGuid, endedAt };
	if (sessionGuid === null) facts.withoutSessionGuid += 1;
	if (hoursLeft === null) facts.withoutCallEnd += 1;
	else facts.hoursLeft = Math.min(hoursLeft, facts.hoursLeft ?? hoursLeft);
}

/** What was found, and what to do about the rest. */
function inWords(facts: Facts, incomplete?: VoiceAgentError): string {
	const sentences = [`The service accepts the API key and lists recordings: ${facts.recordings}.`];
	if (facts.recordings === 0) sentences.push('Check again after a call that was recorded.');
	if (facts.withoutSessionGuid > 0) {
		sentences.push(unrecognized(facts.withoutSessionGuid, 'Session GUID Field'));
	}
	if (facts.withoutCallEnd > 0) {
		sentences.push(unrecognized(facts.withoutCallEnd, 'Call End Field'));
	}
	if (incomplete) sentences.push(incomplete.fullText);
	return sentences.join(' ');
}

function unrecognized(count: number, label: string): string {
	return `${count} of them have no '${label}' that is recognized: name it in the VoiceAgent API credential.`;
}
