// For everything that is not published with the nodes: emulator, command line, harness, tests in a real n8n. The strict
// rules of eslint.config.mjs are for code that runs on n8n Cloud and match *.ts only.
import js from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

export default tseslint.config(
	{ ignores: ['**/node_modules/', '**/dist/', '.cache/', '.demo/', '**/*.js', '**/*.ts'] },
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
);
