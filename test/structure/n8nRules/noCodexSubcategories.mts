/**
 * Subcategories are for the groups of n8n's own nodes. Another value puts a node nowhere. The rule
 * is proposed in pull request 35870 of n8n.
 */
import type { Codex, PortedRule } from './rule.mts';

export const noCodexSubcategories: PortedRule<Codex> = {
	name: 'no-codex-subcategories',
	level: 'error',
	document: '4250d249c7cb63cc55d75c3c2f356a409b2b8ae7',
	demand: 'Leave out subcategories: no node of this package uses @n8n/ai-node-sdk.',
	problems: ({ subcategories }) => (subcategories === undefined ? [] : ['subcategories']),
	correct: [{ categories: ['Development'] }],
	incorrect: [
		{ categories: ['Development'], subcategories: { AI: ['Tools'] } },
		{ subcategories: [] },
	],
};
