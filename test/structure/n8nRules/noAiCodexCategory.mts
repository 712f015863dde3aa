/**
 * n8n leaves a node with the category AI out of the search in its nodes panel. The rule is proposed
 * in pull request 35870 of n8n.
 */
import type { Codex, PortedRule } from './rule.mts';

export const noAiCodexCategory: PortedRule<Codex> = {
	name: 'no-ai-codex-category',
	level: 'error',
	document: '4250d249c7cb63cc55d75c3c2f356a409b2b8ae7',
	demand: 'Leave out the category AI: no node of this package uses @n8n/ai-node-sdk.',
	problems({ categories }) {
		return Array.isArray(categories) && categories.includes('AI') ? ['AI'] : [];
	},
	correct: [{ categories: ['Development'] }, {}],
	incorrect: [{ categories: ['AI'] }, { categories: ['Development', 'AI'] }],
};
