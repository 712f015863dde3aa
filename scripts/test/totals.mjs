/** How much there is to read. `npm test` prints it as a fact: no number is too large. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { repositoryFiles } from '../repositoryFiles.mjs';

const ROOMS = [
	'nodes',
	'credentials',
	'emulator',
	'file-decryptor',
	'harness',
	'workflows',
	'examples',
	'scripts',
	'test',
];

/** @returns {string[]} lines to print */
export function totals() {
	const files = repositoryFiles();
	const lines = ROOMS.map((room) => {
		const isOfRoom = (/** @type {string} */ path) => path.startsWith(`${room}/`) && isCode(path);
		return `${room} ${totalOf(files.filter(isOfRoom), linesIn)}`;
	});
	const pages = files.filter((path) => path.endsWith('.md'));
	const inDocs = pages.filter((path) => path.startsWith('docs/'));
	const others = pages.filter((path) => !inDocs.includes(path)).sort();
	const words = others.map((path) => `${path} ${totalOf([path], wordsIn)}`);
	return [
		`Lines of code: ${lines.join(', ')}`,
		`Words of the pages: docs ${totalOf(inDocs, wordsIn)}, ${words.join(', ')}`,
	];
}

/** Of the workflows, each is a file to import. @param {string} path */
const isCode = (path) => /\.(?:ts|mts|mjs|js)$|^(?:workflows|examples)\/.*\.json$/.test(path);

/** @param {string} text */
const linesIn = (text) => text.split('\n').length - 1;

/** With those of examples. @param {string} text */
const wordsIn = (text) => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

/**
 * @param {string[]} files
 * @param {(text: string) => number} sizeOf
 */
function totalOf(files, sizeOf) {
	const sizes = files.map((path) => sizeOf(readFileSync(join(root, path), 'utf8')));
	return sizes.reduce((total, size) => total + size, 0).toLocaleString('en');
}
