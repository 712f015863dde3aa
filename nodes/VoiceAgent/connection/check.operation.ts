import type { VoiceAgentError } from '../../errors';
import { operation, outputItem } from '../../fields/operation';
import { type ListedRecording, recordingPages } from '../../service/recordings';

export const check = operation({
	name: 'Check',
	value: 'check',
	action: 'Check connection',
	description:
		'Check the connection, and show what is recognized in the answers of the service. Changes nothing.',
	uses: ['apiKey'],
	fields: [],
	async execute(_values, itemIndex) {
		const facts = { ...nothingYet };
		let incomplete: VoiceAgentError | undefined;
		for await (const page of recordingPages(this, { itemIndex })) {
			const { recordings } = page;
			({ incomplete } = page);
			facts.recordings += recordings.length;
			facts.listField = page.listField || null;
			for (const { sessionGuid, callEndedAt, hoursLeft } of recordings) {
				facts.example ??= { sessionGuid, callEndedAt };
				if (sessionGuid === null) facts.withoutSessionGuid += 1;
				if (hoursLeft === null) facts.withoutCallEnd += 1;
				else facts.hoursLeft = Math.min(hoursLeft, facts.hoursLeft ?? hoursLeft);
			}
		}
		facts.complete = incomplete === undefined;
		return [outputItem(itemIndex, { message: inWords(facts, incomplete), ...facts })];
	},
});

const nothingYet = {
	recordings: 0,
	listField: null as string | null,
	/** The first recording, as it is recognized. */
	example: null as Pick<ListedRecording, 'sessionGuid' | 'callEndedAt'> | null,
	withoutSessionGuid: 0,
	withoutCallEnd: 0,
	complete: true,
	hoursLeft: null as number | null,
};

type Facts = typeof nothingYet;

/** What was found, and what to do about the rest. */
function inWords(facts: Facts, incomplete?: VoiceAgentError): string {
	const unnamed = (missing: number, label: string) =>
		missing > 0 &&
		`${missing} of them have no '${label}' that is recognized: name it in the VoiceAgent API credential.`;
	const sentences = [
		`The service accepts the API key and lists recordings: ${facts.recordings}.`,
		facts.recordings === 0 && 'Check again after a call that was recorded.',
		unnamed(facts.withoutSessionGuid, 'Session GUID Field'),
		unnamed(facts.withoutCallEnd, 'Call End Field'),
		incomplete?.fullText,
	];
	return sentences.filter(Boolean).join(' ');
}
