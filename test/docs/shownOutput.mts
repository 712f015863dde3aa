/** The outputs that docs/reference.md and docs/integration.md show. */
import assert from 'node:assert/strict';

import { blocks, readPages } from './pages.mts';

/** Asserts that below the heading, the page shows an output with the same fields and types. */
export function assertAsShown(heading: string, output: unknown, path = 'docs/reference.md'): void {
	assert.deepEqual(shapeOf(shownBelow(heading, path)), shapeOf(output));
}

/** The first JSON below a heading, before the next one. */
export function shownBelow(heading: string, path = 'docs/reference.md'): unknown {
	const [page] = readPages([path]);
	const [, below = ''] = page?.text.split(new RegExp(`^#+ ${heading}\n`, 'm')) ?? [];
	const [section = ''] = below.split(/^#+ /m);
	const shown = blocks({ path: '', text: section }).find(({ language }) => language === 'json');
	assert.ok(shown, `${path} has no JSON below "${heading}".`);
	return JSON.parse(shown.code);
}

/** The types of all fields, in their order. */
function shapeOf(value: unknown): unknown {
	if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
	return Object.entries(value).map(([name, field]) => [name, shapeOf(field)]);
}
