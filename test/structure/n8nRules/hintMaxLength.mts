/** A hint stands below its field all the time, so that a long one pushes the others down. */
import {
	additionalFields,
	type Description,
	nodeWith,
	parametersOf,
	type PortedRule,
	textField,
} from './rule.mts';

const MOST_CHARACTERS = 120;

export const hintMaxLength: PortedRule<Description> = {
	name: 'hint-max-length',
	level: 'warn',
	document: '683cdffa59beea75be71aa9b8d28c4cb912edd4b',
	demand: `A hint has at most ${MOST_CHARACTERS} characters. Move the rest to the description.`,
	problems({ name, properties }) {
		return [...parametersOf(properties)]
			.filter(({ hint = '' }) => hint.length > MOST_CHARACTERS)
			.map((parameter) => `${name}.${parameter.name}`);
	},
	correct: [
		nodeWith(textField({ hint: 'A list of operations', description: 'Long '.repeat(100) })),
		nodeWith(textField({ hint: 'x'.repeat(MOST_CHARACTERS) })),
	],
	incorrect: [
		nodeWith(textField({ hint: 'x'.repeat(MOST_CHARACTERS + 1) })),
		nodeWith(additionalFields(textField({ hint: 'x'.repeat(MOST_CHARACTERS + 1) }))),
	],
};
