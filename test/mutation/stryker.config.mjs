/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	testRunner: 'jest',
	jest: { configFile: 'test/mutation/jest.config.js' },
	coverageAnalysis: 'perTest',
	mutate: ['nodes/recordingFile/*.ts', 'nodes/service/*.ts', 'nodes/fields/*.ts'],
	ignorePatterns: [
		...[
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
		...['test/*', '!test/unit', '!test/vectors', '!test/mutation', 'test/mutation/node_modules'],
	],
	// Changes that are made once, while a file loads, would load it again for each of them.
	ignoreStatic: true,
	tempDirName: '.cache/stryker',
	cleanTempDir: 'always',
	reporters: ['clear-text', 'json'],
	jsonReporter: { fileName: '.cache/mutation.json' },
	concurrency: 1,
	timeoutMS: 60_000,
};
