/** Nodes for logic and for the flow of a workflow are n8n's own. */
import type { Codex, PortedRule } from './rule.mts';

const RESERVED = ['Logic', 'Flow'];

export const noLogicOrFlowNodes: PortedRule<Codex> = {
	name: 'no-logic-or-flow-nodes',
	level: 'error',
	document: '1e8d9c2531588841a527e732aa29a00ce6f9a623',
	demand: 'Leave out the categories and subcategories Logic and Flow.',
	problems({ categories, subcategories }) {
		const texts: unknown[] = [];
		// Calls back for each value at any depth. A name of a subcategory's group counts too.
		JSON.stringify([categories, subcategories], (key, value: unknown) => {
			texts.push(key, value);
			return value;
		});
		return RESERVED.filter((word) => texts.includes(word));
	},
	correct: [
		{ categories: ['Productivity'] },
		{ categories: ['Core Nodes'], subcategories: { 'Core Nodes': ['Other'] } },
	],
	incorrect: [
		{ categories: ['Logic'] },
		{ categories: ['Sales', 'Flow'] },
		{ subcategories: { 'Core Nodes': ['Flow'] } },
		{ subcategories: { Logic: [] } },
	],
};
