/** The outputs that docs/integration.md shows. */
import assert from 'node:assert/strict';

import { blocks, readPages } from './pages.mts';

/** Asserts that below the heading, the page shows an output with the same fields and types. */
export function assertAsShown(heading: string, output: unknown): void {
	const [page] = readPages(['docs/integration.md']);
	const [, below = ''] = page?.text.split(new RegExp(`^#+ ${heading}\n`, 'm')) ?? [];
	const [section = ''] = below.split(/^#+ /m);
	const shown = blocks({ path: '', text: section }).find(({ language }) => language === 'json');
	assert.ok(shown, `docs/integration.md has no JSON below "${heading}".`);
	assert.deepEqual(shapeOf(JSON.parse(shown.code)), shapeOf(output));
}

/** The types of all fields, in their order. */
function shapeOf(value: unknown): unknown {
	if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
	return Object.entries(value).map(([name, field]) => [name, shapeOf(field)]);
}
