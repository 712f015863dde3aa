/** The stages of `npm test`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { checks, jestTests, nodeTests, packageTests } from './runners.mjs';

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {string} title
 * @property {string} [folder] has the test files, if there are any
 * @property {boolean} [isHeavy] runs alone: its tests wait for real processes, or measure
 * @property {(context: import('./runners.mjs').Context) => Promise<import('./reporter.mjs').Outcome[]>} run
 */

/** @type {Stage[]} */
const all = [
	{
		name: 'n8n',
		isHeavy: true,
		title: 'Runs in a real n8n',
		folder: 'test/n8n',
		run: nodeTests('test/n8n', { concurrency: 3, again: true }),
	},
	{
		name: 'engine',
		isHeavy: true,
		title: "Runs in n8n's engine, without its server",
		folder: 'test/engine',
		run: nodeTests('test/engine', { concurrency: 2, again: true }),
	},
	{
		name: 'docs',
		isHeavy: true,
		title: 'The commands in the documentation',
		folder: 'test/docs',
		run: nodeTests('test/docs', { concurrency: 2, again: true }),
	},
	{
		name: 'browser',
		isHeavy: true,
		title: "The nodes in n8n's editor, in a real browser",
		folder: 'test/browser',
		run: nodeTests('test/browser', { concurrency: 2, again: true }),
	},
	{
		name: 'unit',
		title: "Unit tests, on this machine's Node",
		folder: 'test/unit',
		run: jestTests('test:unit'),
	},
	{
		name: 'types',
		title: 'Type check',
		run: checks('typecheck'),
	},
	{
		name: 'lint',
		title: 'Lint: rules for verified community nodes, directions of imports, duplicates',
		run: checks('lint', 'lint:mts', 'lint:imports', 'lint:duplicates'),
	},
	{
		name: 'emulator',
		title: "The emulator's own tests",
		folder: 'emulator/test',
		run: nodeTests('emulator/test', { concurrency: 2 }),
	},
	{
		name: 'package',
		title: 'The published package',
		folder: 'test/package',
		run: nodeTests('test/package'),
	},
	{
		name: 'structure',
		title: 'Sizes, versions of dependencies, tools of the tests',
		folder: 'test/structure',
		run: nodeTests('test/structure', { concurrency: 2 }),
	},
	{
		name: 'properties',
		title: 'Properties, on more than 100,000 arbitrary values',
		folder: 'test/properties',
		run: jestTests('test:properties'),
	},
	{
		name: 'file-decryptor',
		title: "The command line's own tests",
		folder: 'file-decryptor/test',
		run: packageTests('file-decryptor'),
	},
];

export const stages = all.filter(
	({ folder }) => folder === undefined || existsSync(join(root, folder)),
);
