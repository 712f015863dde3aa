/**
 * Limits that serve a reader, for a file, a function and a regular expression. A folder has no
 * limit. Lines with comments count too.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import ts from 'typescript';

import { root } from '../../scripts/paths.mjs';
import { repositoryFiles } from '../docs/pages.mts';

const MOST_LINES_OF_FILE = 220;
/** Nothing but a table: as long as what it lists. */
const TABLES = ['nodes/errorTexts.ts'];
const MOST_LINES_OF_FUNCTION = 60;
const MOST_CHARACTERS_OF_REGEX = 100;

const sources = repositoryFiles()
	.filter((path) => /\.(?:ts|mts|mjs|js)$/.test(path))
	.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

interface Part {
	what: string;
	size: number;
}

const linesIn = (text: string) => text.split('\n').length - 1;

const tooLarge = (parts: Part[], most: number) =>
	parts.filter(({ size }) => size > most).map(({ what, size }) => `${what}: ${size}`);

/** Of each node of its syntax tree for which `sizeOf` has a size. */
function partsOf(path: string, text: string, sizeOf: (node: ts.Node) => number | undefined) {
	const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
	const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
	const parts: Part[] = [];
	const visit = (node: ts.Node): void => {
		const size = sizeOf(node);
		if (size !== undefined) parts.push({ what: `${path}:${lineAt(node.getStart())}`, size });
		ts.forEachChild(node, visit);
	};
	visit(file);
	return parts;
}

const functionLines = (node: ts.Node) =>
	ts.isFunctionLike(node) && 'body' in node && node.body ? linesIn(node.getText()) + 1 : undefined;

const regexCharacters = (node: ts.Node) =>
	ts.isRegularExpressionLiteral(node) ? node.text.length : undefined;

suite('the nodes have', () => {
	const nodes = sources.filter(({ path }) => path.startsWith('nodes/'));

	test(`no file of more than ${MOST_LINES_OF_FILE} lines`, () => {
		const files = nodes
			.filter(({ path }) => !TABLES.includes(path))
			.map(({ path, text }) => ({ what: path, size: linesIn(text) }));
		assert.deepEqual(tooLarge(files, MOST_LINES_OF_FILE), []);
	});

	test(`no function of more than ${MOST_LINES_OF_FUNCTION} lines`, () => {
		const functions = nodes.flatMap(({ path, text }) => partsOf(path, text, functionLines));
		assert.ok(functions.length > 100);
		assert.deepEqual(tooLarge(functions, MOST_LINES_OF_FUNCTION), []);
	});

	test(`no regular expression of more than ${MOST_CHARACTERS_OF_REGEX} characters`, () => {
		const regexes = nodes.flatMap(({ path, text }) => partsOf(path, text, regexCharacters));
		assert.ok(regexes.length > 10);
		assert.deepEqual(tooLarge(regexes, MOST_CHARACTERS_OF_REGEX), []);
	});
});

test('functions, methods and regular expressions are found wherever they are', () => {
	const text = 'class A {\n\tb() {\n\t\treturn () => /c+/;\n\t}\n}\nfunction d(): void {}\n';
	const sizes = (sizeOf: (node: ts.Node) => number | undefined) =>
		partsOf('a.ts', text, sizeOf).map(({ what, size }) => [what, size]);
	assert.deepEqual(sizes(functionLines), [
		['a.ts:2', 3],
		['a.ts:3', 1],
		['a.ts:6', 1],
	]);
	assert.deepEqual(sizes(regexCharacters), [['a.ts:3', 4]]);
});
