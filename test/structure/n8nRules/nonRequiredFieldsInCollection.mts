/** The top level of a node has what a user must fill in. The rest waits in a collection. */
import {
	additionalFields,
	type Description,
	nodeWith,
	type PortedRule,
	textField,
} from './rule.mts';

/** They hold other fields, or take nothing from the user. */
const OTHER_TYPES = ['collection', 'fixedCollection', 'notice', 'callout', 'hidden', 'curlImport'];
/** They decide which other fields n8n shows. */
const SELECTORS = ['resource', 'operation', 'authentication'];

const DECIDES = 'decides which other fields n8n shows';
const GUIDELINES = "stands there in n8n's UX guidelines and in its own nodes";
const INSTRUCTION = 'is what the answer to Call Start is about';
const PLACE = 'takes nothing from the user: it only says where the credential stands';

export const nonRequiredFieldsInCollection: PortedRule<Description> = {
	name: 'non-required-fields-in-collection',
	level: 'warn',
	document: '01a9d2d4cf06044f944ee699c42490894b376700',
	demand: 'Make the field required, move it to the options, or say here why it stays.',
	problems({ name, properties }) {
		return properties
			.filter((parameter) => parameter.required !== true)
			.filter(({ type }) => !OTHER_TYPES.includes(type))
			.filter((parameter) => !SELECTORS.includes(parameter.name))
			.map((parameter) => `${name}.${parameter.name}`);
	},
	correct: [
		nodeWith(textField({ required: true })),
		nodeWith(textField({ required: true }), additionalFields(textField({}))),
		nodeWith(textField({ name: 'operation', type: 'options', options: [] })),
		nodeWith(textField({ type: 'notice' }), textField({ type: 'hidden' })),
	],
	incorrect: [nodeWith(textField({})), nodeWith(textField({ required: false }))],
	accepted: new Map([
		['voiceAgent.credentials', PLACE],
		['voiceAgent.doNotCall', 'empty, it stops all calls, with a reason that says what to enter'],
		['voiceAgent.number', 'may be empty, as in a search without a number: then it matches nothing'],
		['voiceAgent.specifyBody', DECIDES],
		['voiceAgent.jsonBody', 'is the whole input of a call if it is entered as JSON'],
		['voiceAgent.recordCall', INSTRUCTION],
		['voiceAgent.recordCallFormat', INSTRUCTION],
		['voiceAgent.encryptRecording', INSTRUCTION],
		['voiceAgent.keepOtherAnswer', 'without it, the callers of an existing agent reach nobody'],
		['voiceAgent.requireProof', 'whoever deletes must see whether the archive is checked'],
		['voiceAgent.decrypt', 'says what kind of file comes out'],
		['voiceAgent.returnAll', GUIDELINES],
		['voiceAgent.limit', GUIDELINES],
		['voiceAgent.simple', GUIDELINES],
		['voiceAgent.output', GUIDELINES],
		['voiceAgent.outputFields', GUIDELINES],
		['voiceAgentRecordingTrigger.minutesBetweenChecks', 'is the schedule, which a trigger shows'],
		['voiceAgentTrigger.credentials', PLACE],
		['voiceAgentTrigger.event', DECIDES],
		['voiceAgentTrigger.respond', DECIDES],
		['voiceAgentTrigger.recordCall', INSTRUCTION],
		['voiceAgentTrigger.recordCallFormat', INSTRUCTION],
		['voiceAgentTrigger.encryptRecording', INSTRUCTION],
		[
			'voiceAgentTrigger.encryptWith',
			'is marked if the credential has no password, as a required field would be',
		],
	]),
};
