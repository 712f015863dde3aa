// Rules for what is not published with the nodes: emulator, command line, harness, tests. The
// strict rules of eslint.config.mjs are for code that runs on n8n Cloud.
import js from '@eslint/js';
import stylistic from '@stylistic/eslint-plugin';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { noListInString } from './eslint/noListInString.mjs';

const COLUMNS = 100;

export default tseslint.config(
	{ ignores: ['**/node_modules/', '**/dist/', '.cache/', '.demo/'] },
	{
		files: ['**/*.mts', '**/*.mjs'],
		extends: [js.configs.recommended, tseslint.configs.strict],
		languageOptions: { globals: globals.node },
		rules: {
			'no-control-regex': 'off',
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
			],
		},
	},
	// For a reader. n8n's linter has no such rules, so they hold for the nodes too.
	{
		files: ['**/*.ts', '**/*.mts', '**/*.mjs', '**/*.js'],
		languageOptions: { parser: tseslint.parser },
		// A comment that switches off one of n8n's rules is not unused: they are not applied here.
		linterOptions: { reportUnusedDisableDirectives: 'off' },
		plugins: {
			'@stylistic': stylistic,
			project: { rules: { 'no-list-in-string': noListInString } },
		},
		rules: {
			'project/no-list-in-string': 'error',
			'@stylistic/max-len': [
				'error',
				{
					code: COLUMNS,
					comments: COLUMNS,
					tabWidth: 2,
					// Prettier has broken what can be broken. One of these alone can be too long.
					ignoreStrings: true,
					ignoreTemplateLiterals: true,
					ignoreRegExpLiterals: true,
					ignoreUrls: true,
				},
			],
		},
	},
);
