/** The stages of `npm test`, in their order. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { checks, jestTests, nodeTests, packageTests } from './runners.mjs';

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {string} title
 * @property {string} [folder] has the test files, if there are any
 * @property {boolean} [isLight] runs beside other light stages: it starts no server and measures nothing
 * @property {(context: import('./runners.mjs').Context) => Promise<import('./reporter.mjs').Outcome[]>} run
 */

/** @type {Stage[]} */
const all = [
	// The longest of the light ones comes first.
	{
		name: 'unit',
		title: "Unit tests, on this machine's Node",
		folder: 'test/unit',
		isLight: true,
		run: jestTests('test:unit'),
	},
	{
		name: 'properties',
		title: 'Properties, on more than 100,000 arbitrary values',
		folder: 'test/properties',
		isLight: true,
		run: jestTests('test:properties'),
	},
	{
		name: 'types',
		title: 'Type check',
		isLight: true,
		run: checks('typecheck'),
	},
	{
		name: 'lint',
		title: 'Lint: rules for verified community nodes, directions of imports, duplicates',
		isLight: true,
		run: checks('lint', 'lint:mts', 'lint:imports', 'lint:duplicates'),
	},
	{
		name: 'structure',
		title: 'Sizes, versions of dependencies, tools of the tests',
		folder: 'test/structure',
		isLight: true,
		run: nodeTests('test/structure', { concurrency: 2 }),
	},
	{
		name: 'package',
		title: 'The published package',
		folder: 'test/package',
		isLight: true,
		run: nodeTests('test/package'),
	},
	{
		name: 'emulator',
		title: "The emulator's own tests",
		folder: 'emulator/test',
		run: packageTests('emulator', nodeTests('emulator/test')),
	},
	{
		name: 'file-decryptor',
		title: "The command line's own tests",
		folder: 'file-decryptor/test',
		run: packageTests('file-decryptor'),
	},
	{
		name: 'docs',
		title: 'The commands in the documentation',
		folder: 'test/docs',
		run: nodeTests('test/docs', { concurrency: 2, again: true }),
	},
	{
		name: 'engine',
		title: "Runs in n8n's engine, without its server",
		folder: 'test/engine',
		run: nodeTests('test/engine', { concurrency: 2, again: true }),
	},
	{
		name: 'n8n',
		title: 'Runs in a real n8n',
		folder: 'test/n8n',
		run: nodeTests('test/n8n', { concurrency: 3, again: true }),
	},
	{
		name: 'browser',
		title: "The nodes in n8n's editor, in a real browser",
		folder: 'test/browser',
		run: nodeTests('test/browser', { concurrency: 2, again: true }),
	},
];

export const stages = all.filter(
	({ folder }) => folder === undefined || existsSync(join(root, folder)),
);
