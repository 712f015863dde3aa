/** A field for any JSON hides what can be set. Each value should have a field of its own. */
import {
	additionalFields,
	type Description,
	nodeWith,
	type PortedRule,
	textField,
} from './rule.mts';

const json = textField({ type: 'json', default: '{}' });

export const openEndedNodeFields: PortedRule<Description> = {
	name: 'open-ended-node-fields',
	level: 'warn',
	document: '2537d458b08685ec4e9334f41cb660ffed9f72f7',
	demand: 'Give each value a field of its own, or move the JSON field to Additional Fields.',
	problems({ name, properties }) {
		return properties
			.filter(({ type, required }) => type === 'json' && required !== true)
			.map((parameter) => `${name}.${parameter.name}`);
	},
	correct: [
		nodeWith({ ...json, required: true }),
		nodeWith(additionalFields(textField({ type: 'number', default: 10 }))),
	],
	incorrect: [nodeWith(json), nodeWith({ ...json, required: false })],
	accepted: new Map([
		['voiceAgent.jsonBody', 'is shown only to users who choose to enter the details as JSON'],
	]),
};
