/** The pictures of the documentation are current, and shown at the size of what they show. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import type { Workflow } from '../../harness/n8n/n8n.mts';
import { shownDemo } from '../../harness/screenshots/demo.mts';
import { firstCall } from '../../harness/screenshots/firstCall.mts';
import { mainPaths } from '../../harness/screenshots/mainPaths.mts';
import { hasDark, pictures } from '../../harness/screenshots/pictures.mts';
import { digestOf, IMAGES, readDigest } from '../../harness/screenshots/shown.mts';
import { readWorkflow } from '../../harness/workflows.mts';
import { readPages, repositoryFiles } from './pages.mts';

/** By source and kind of connection, for each output. */
type Connections = Record<string, Record<string, Array<Array<{ node: string }> | null>>>;

const names = Object.keys(pictures);
const pngs = readdirSync(IMAGES).filter((name) => name.endsWith('.png'));

/** The nodes that a node is connected to, by connections of any kind. */
function targetsOf(connections: Workflow['connections'], node: string): string[] {
	const outputs = Object.values((connections as Connections)[node] ?? {});
	return outputs.flat(2).flatMap((target) => (target ? [target.node] : []));
}

/** All nodes behind a node. */
function reachedFrom(start: string, next: (node: string) => string[]): Set<string> {
	const reached = new Set<string>();
	const waiting = [start];
	for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
		for (const target of next(node)) {
			if (reached.has(target)) continue;
			reached.add(target);
			waiting.push(target);
		}
	}
	return reached;
}

suite('the pictures', () => {
	test('there is one in light and one in dark of each, and no other', () => {
		const wanted = names.flatMap((name) => [
			`${name}.png`,
			...(hasDark(name) ? [`${name}-dark.png`] : []),
		]);
		assert.deepEqual(pngs.toSorted(), wanted.toSorted());
	});

	test('none is older than the workflow or the form that it shows', () => {
		const old = Object.entries(pictures).flatMap(([name, picture]) => {
			const files = hasDark(name) ? [`${name}.png`, `${name}-dark.png`] : [`${name}.png`];
			const isOld = (file: string) => readDigest(join(IMAGES, file)) !== digestOf(picture);
			return files.some(isOld) ? [name] : [];
		});
		if (readDigest(join(IMAGES, 'first-call.webp')) !== digestOf(firstCall)) old.push('first-call');
		if (readDigest(join(IMAGES, 'demo.svg')) !== digestOf(shownDemo)) old.push('demo');
		assert.deepEqual(old, [], `npm run screenshots -- ${old.join(' ')}`);
	});

	for (const [name, path] of Object.entries(mainPaths).filter(([, path]) => path.length > 0)) {
		test(`${name}: nodes that lead to one another do so in the picture too`, () => {
			const { connections } = readWorkflow(name);
			const next = (node: string) => targetsOf(connections, node);
			const nextShown = (node: string) => next(node).filter((one) => path.includes(one));
			for (const node of path) {
				const inWorkflow = path.filter((one) => reachedFrom(node, next).has(one));
				const inPicture = reachedFrom(node, nextShown);
				const apart = inWorkflow.filter((one) => !inPicture.has(one));
				assert.deepEqual(apart, [], `a node between ${node} and these is left out`);
			}
		});
	}

	test('all together have at most 8 MB', () => {
		const bytes = readdirSync(IMAGES).map((name) => statSync(join(IMAGES, name)).size);
		assert.ok(bytes.reduce((sum, size) => sum + size, 0) <= 8e6);
	});

	for (const { path, text } of readPages(repositoryFiles())) {
		const shown = [...text.matchAll(/<img src="[^"]*images\/([\w-]+\.png)"( width="(\d+)")?/g)];
		if (shown.length === 0) continue;
		test(`${path}: they have their own width, and fit in`, () => {
			for (const [, file = '', , width] of shown) {
				// Taken at 2x. The width is in the header of a PNG.
				const taken = readFileSync(join(IMAGES, file)).readUInt32BE(16);
				assert.equal(Number(width), Math.min(830, Math.round(taken / 2)), file);
			}
		});
	}
});
