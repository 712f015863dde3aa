/**
 * The package follows the rules of n8n's linter that the installed version does not have yet. Each
 * port in `n8nRules/` is written from the rule's document and goes when npm has the rule itself.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { suite, test } from 'node:test';

import { ESLint, type Linter } from 'eslint';
import type { INodeType } from 'n8n-workflow';

import { root } from '../../scripts/paths.mjs';
import { repositoryFiles } from '../docs/pages.mts';
import { hintMaxLength } from './n8nRules/hintMaxLength.mts';
import { iconContrast } from './n8nRules/iconContrast.mts';
import { noAiCodexCategory } from './n8nRules/noAiCodexCategory.mts';
import { noCodexSubcategories } from './n8nRules/noCodexSubcategories.mts';
import { noHardcodedIds } from './n8nRules/noHardcodedIds.mts';
import { noLogicOrFlowNodes } from './n8nRules/noLogicOrFlowNodes.mts';
import { type Manifest, noMonorepo } from './n8nRules/noMonorepo.mts';
import { nonRequiredFieldsInCollection } from './n8nRules/nonRequiredFieldsInCollection.mts';
import { openEndedNodeFields } from './n8nRules/openEndedNodeFields.mts';
import type { Codex, Description, PortedRule, SourceFile } from './n8nRules/rule.mts';
import {
	singleCredentialInSource,
	singleCredentialOfNode,
} from './n8nRules/singleCredentialPerNode.mts';
import { validNodeCategories } from './n8nRules/validNodeCategories.mts';

/** What `npm run lint` uses; it comes without types. */
const linter: string = '@n8n/node-cli/eslint';
const { config: lintConfig } = (await import(linter)) as { config: Linter.Config[] };

/** Documented rules without a port, and why none is needed. */
const NOT_PORTED: ReadonlyMap<string, string> = new Map([
	['prefer-declarative-style', 'execute() of a node sends nothing itself and has no loop'],
	['valid-codex-categories', 'was withdrawn for valid-node-categories (pull request 35717)'],
	['node-class-description-non-core-color', 'was withdrawn (33114); our linter forbids any color'],
]);

/**
 * The plugin had these rules, and dropped them for those of `eslint-plugin-n8n-nodes-base`, which
 * n8n's linter and scanner use too (pull request 33427 of n8n).
 */
const REPLACED: ReadonlyArray<{ rules: string[]; by: string[]; in: string }> = [
	{
		rules: ['require-community-node-keyword', 'require-mit-license'],
		by: [
			'community-package-json-keywords-without-official-tag',
			'community-package-json-license-not-default',
		],
		in: 'package.json',
	},
	{
		rules: [
			'cred-class-name-field-conventions',
			'cred-class-name-suffix',
			'cred-filename-against-convention',
		],
		by: [
			'cred-class-field-name-unsuffixed',
			'cred-class-name-unsuffixed',
			'cred-filename-against-convention',
		],
		in: 'credentials/VoiceAgentApi.credentials.ts',
	},
	{
		rules: [
			'no-asterisk-in-option-names',
			'no-duplicate-param-options',
			'node-class-description-name-camelcase',
			'node-filename-against-convention',
			'node-operation-error-itemindex',
			'options-sorted-alphabetically',
			'require-continue-on-fail',
			'require-param-default',
		],
		by: [
			'node-param-option-name-containing-star',
			'node-param-option-name-duplicate',
			'node-param-option-value-duplicate',
			'node-class-description-name-miscased',
			'node-filename-against-convention',
			'node-execute-block-error-missing-item-index',
			'node-param-options-type-unsorted-items',
			'node-execute-block-missing-continue-on-fail',
			'node-param-default-missing',
		],
		in: 'nodes/VoiceAgent/VoiceAgent.node.ts',
	},
];

const ported: Array<{ name: string }> = [];

/** Checks a rule by its examples, and the package by the rule. */
function follows<Subject>(
	rule: PortedRule<Subject>,
	subjects: readonly Subject[],
	of: string,
): void {
	ported.push(rule);
	test(`${rule.name} finds what is incorrect in ${of}, and nothing else`, () => {
		for (const example of rule.correct) {
			assert.deepEqual(rule.problems(example), [], JSON.stringify(example));
		}
		for (const example of rule.incorrect) {
			assert.notDeepEqual(rule.problems(example), [], JSON.stringify(example));
		}
	});

	test(`${rule.name} finds nothing in ${of} of this package`, () => {
		assert.ok(subjects.length > 0);
		const found = new Set(subjects.flatMap((subject) => rule.problems(subject)));
		const accepted = new Set(rule.accepted?.keys());
		const broken = [...found].filter((place) => !accepted.has(place));
		assert.deepEqual(broken, [], rule.demand);
		const gone = [...accepted].filter((place) => !found.has(place));
		assert.deepEqual(gone, [], 'is accepted, but no longer there');
		if (rule.level === 'error') assert.equal(accepted.size, 0, 'is not a warning');
	});
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const paths = repositoryFiles();
const manifest = JSON.parse(read('package.json')) as Manifest & { n8n: { nodes: string[] } };

const sources = paths
	.filter((path) => /^(?:nodes|credentials)\/.*\.ts$/.test(path))
	.map((path): SourceFile => ({ path, text: read(path) }));

const codexes = paths
	.filter((path) => path.endsWith('.node.json'))
	.map((path) => JSON.parse(read(path)) as Codex);

const descriptions = manifest.n8n.nodes.map((path): Description => {
	const classes = createRequire(import.meta.url)(join(root, path)) as {
		[name: string]: new () => INodeType;
	};
	const Node = classes[basename(path, '.node.js')];
	assert.ok(Node, `${path} exports no class of this name`);
	return new Node().description;
});

follows(singleCredentialInSource, sources, 'sources');
follows(singleCredentialOfNode, descriptions, 'built nodes');
follows(noHardcodedIds, sources, 'sources');
follows(hintMaxLength, descriptions, 'built nodes');
follows(openEndedNodeFields, descriptions, 'built nodes');
follows(nonRequiredFieldsInCollection, descriptions, 'built nodes');
follows(validNodeCategories, codexes, '.node.json files');
follows(noLogicOrFlowNodes, codexes, '.node.json files');
follows(noAiCodexCategory, codexes, '.node.json files');
follows(noCodexSubcategories, codexes, '.node.json files');
follows(noMonorepo, [manifest], 'package.json');
follows(
	iconContrast,
	[
		{ theme: 'light', svg: read('icons/voiceagent.svg') },
		{ theme: 'dark', svg: read('icons/voiceagent.dark.svg') },
	],
	'icons',
);

suite("n8n's linter", () => {
	const plugin = lintConfig
		.map(({ plugins }) => plugins?.['@n8n/community-nodes'])
		.find((one) => one !== undefined);
	const { rules = {}, meta } = plugin ?? {};
	assert.ok(Object.keys(rules).length > 40, 'the plugin is not found in the configuration');

	const documented = [
		...ported.map(({ name }) => name),
		...NOT_PORTED.keys(),
		...REPLACED.flatMap((replaced) => replaced.rules),
	];
	for (const name of new Set(documented)) {
		test(`does not have ${name} yet`, () => {
			const advice = `remove our port of ${name}, or its line here`;
			assert.ok(!(name in rules), `Version ${meta?.version} has it: ${advice}`);
		});
	}

	for (const { by, in: path } of REPLACED) {
		test(`checks ${path} by the rules of the other plugin`, async () => {
			const config = (await new ESLint({ cwd: root }).calculateConfigForFile(path)) as {
				rules: Record<string, [number]>;
			};
			const missing = by.filter((name) => config.rules[`n8n-nodes-base/${name}`]?.[0] !== 2);
			assert.deepEqual(missing, []);
		});
	}
});
