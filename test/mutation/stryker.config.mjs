/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	testRunner: 'jest',
	jest: { configFile: 'test/unit/jest.config.js' },
	coverageAnalysis: 'perTest',
	mutate: [
		'nodes/**/*.ts',
		// Descriptions: what n8n shows, and the texts of errors.
		'!nodes/**/*.operation.ts',
		'!nodes/**/index.ts',
		'!nodes/**/*.node.ts',
		'!nodes/**/properties.ts',
		'!nodes/**/*Fields.ts',
	],
	ignorePatterns: [
		'.*',
		'dist',
		'docs',
		'emulator',
		'file-decryptor',
		'harness',
		'icons',
		'workflows',
		'scripts',
	],
	tempDirName: '.cache/stryker',
	reporters: ['clear-text', 'json'],
	jsonReporter: { fileName: '.cache/mutation.json' },
	ignoreStatic: true,
	concurrency: 1,
	timeoutMS: 60000,
};
