/** The stages of `npm test`, in their order. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nodeForN8n, root } from '../paths.mjs';
import { checks, jestTests, nodeTests, packageTests } from './runners.mjs';

/**
 * @typedef {import('./runners.mjs').Context} Context
 * @typedef {import('./reporter.mjs').Outcome} Outcome
 *
 * @typedef {object} Stage
 * @property {string} name
 * @property {string} title
 * @property {string} [folder] has the test files, if there are any
 * @property {boolean} [isByFile] whether each of its files runs by itself
 * @property {boolean} [isRare] whether it runs only if it is named
 * @property {boolean} [again] whether a file with a failed test is run once more, alone: its tests
 *   wait for real processes, which a busy machine can slow down beyond measure
 * @property {boolean} [waits] for servers and clocks most of the time: it begins before the stages
 *   that only compute
 * @property {(context: Context) => Promise<Outcome[]>} run
 */

/** @type {Stage[]} */
const all = [
	{
		name: 'unit',
		title: "Unit tests, on this machine's Node",
		folder: 'test/unit',
		run: jestTests('test:unit'),
	},
	{
		name: 'properties',
		title: "Properties, on more than 100,000 arbitrary values, with n8n's Node",
		folder: 'test/properties',
		run: jestTests('test:properties', { node: nodeForN8n }),
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
		name: 'package',
		title: 'The published package',
		folder: 'test/package',
		isByFile: true,
		run: nodeTests,
	},
	{
		name: 'structure',
		title: 'Sizes, versions of dependencies, tools of the tests',
		folder: 'test/structure',
		isByFile: true,
		run: nodeTests,
	},
	{
		name: 'emulator',
		title: "The emulator's own tests",
		folder: 'emulator/test',
		waits: true,
		run: packageTests('emulator', nodeTests),
	},
	{
		name: 'file-decryptor',
		title: "The command line's own tests",
		folder: 'file-decryptor/test',
		waits: true,
		run: packageTests('file-decryptor'),
	},
	{
		name: 'docs',
		title: 'The commands in the documentation',
		folder: 'test/docs',
		isByFile: true,
		again: true,
		waits: true,
		run: nodeTests,
	},
	{
		name: 'weekly',
		title: 'The commands in the documentation that few readers run',
		folder: 'test/weekly',
		isByFile: true,
		isRare: true,
		again: true,
		run: nodeTests,
	},
	{
		name: 'engine',
		title: "Runs in n8n's engine, without its server",
		folder: 'test/engine',
		isByFile: true,
		again: true,
		waits: true,
		run: nodeTests,
	},
	{
		name: 'n8n',
		title: 'Runs in a real n8n',
		folder: 'test/n8n',
		isByFile: true,
		again: true,
		waits: true,
		run: nodeTests,
	},
	{
		name: 'browser',
		title: "The nodes in n8n's editor, in a real browser",
		folder: 'test/browser',
		isByFile: true,
		again: true,
		waits: true,
		run: nodeTests,
	},
];

export const stages = all.filter(
	({ folder }) => folder === undefined || existsSync(join(root, folder)),
);
