/** Categories of a node are spelled as in n8n's list, or n8n puts the node nowhere. */
import type { Codex, PortedRule } from './rule.mts';

/** https://docs.n8n.io/connect/create-nodes/build-your-node/reference/codex-files/#node-categories */
const CATEGORIES: readonly unknown[] = [
	'Analytics',
	'Communication',
	'Data & Storage',
	'Development',
	'Finance & Accounting',
	'Marketing & Content',
	'Miscellaneous',
	'Productivity',
	'Sales',
	'Utility',
];

export const validNodeCategories: PortedRule<Codex> = {
	name: 'valid-node-categories',
	level: 'error',
	document: '2e315e2e2057a5153834d88ff8f91ce90dcae7b6',
	demand: `Categories are a list with one or more of: ${CATEGORIES.join(', ')}.`,
	problems({ categories }) {
		if (categories === undefined) return [];
		if (!Array.isArray(categories) || categories.length === 0) return ['categories'];
		return categories
			.filter((category) => !CATEGORIES.includes(category))
			.map((category) => JSON.stringify(category));
	},
	correct: [{}, { categories: ['Marketing & Content', 'Development'] }],
	incorrect: [
		{ categories: ['Marketing', 'Development'] },
		{ categories: ['sales'] },
		{ categories: ['Sales', 12] },
		{ categories: 'Sales' },
		{ categories: [] },
	],
};
