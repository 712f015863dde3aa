import { join } from 'node:path';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	plugins: [import.meta.resolve('@stryker-mutator/jest-runner')],
	testRunner: 'jest',
	jest: {
		configFile: 'test/unit/jest.config.js',
		config: {
			roots: ['<rootDir>/nodes', '<rootDir>/test/unit'],
			testSequencer: join(import.meta.dirname, 'coveringFiles.mjs'),
		},
	},
	coverageAnalysis: 'perTest',
	// Left out: texts of errors, and constants, each of which would be tried with all tests.
	mutate: ['nodes/**/*.ts', '!nodes/errorTexts.ts'],
	ignoreStatic: true,
	disableTypeChecks: 'nodes/**/*.ts',
	ignorePatterns: [
		'.*',
		'dist',
		'docs',
		'emulator',
		'examples',
		'file-decryptor',
		'harness',
		'workflows',
	],
	tempDirName: '.cache/stryker',
	cleanTempDir: 'always',
	reporters: ['progress-append-only', 'clear-text', 'json'],
	clearTextReporter: { logTests: false, reportTests: false },
	jsonReporter: { fileName: '.cache/mutation.json' },
	timeoutMS: 30_000,
	dryRunTimeoutMinutes: 60,
};
