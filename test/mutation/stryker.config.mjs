/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	plugins: ['./runner.mjs', './descriptions.mjs'].map((path) => import.meta.resolve(path)),
	testRunner: 'nodes',
	coverageAnalysis: 'perTest',
	// The engine loads what is built.
	buildCommand: 'node test/mutation/build.mjs',
	mutate: ['nodes/**/*.ts'],
	// Left out: texts of errors, and what the editor shows.
	ignorers: ['descriptions'],
	disableTypeChecks: 'nodes/**/*.ts',
	ignorePatterns: [
		...['.*', 'dist', 'file-decryptor', 'workflows', 'harness/screenshots', '*.tgz'],
		...[
			'test/*',
			'!test/unit',
			'!test/engine',
			'!test/properties',
			'!test/docs',
			'!test/vectors',
			'!test/mutation',
			'node_modules',
		],
	],
	tempDirName: '.cache/stryker',
	cleanTempDir: 'always',
	reporters: ['progress-append-only', 'clear-text', 'json'],
	clearTextReporter: { logTests: false, reportTests: false },
	jsonReporter: { fileName: '.cache/mutation.json' },
	thresholds: { high: 98, low: 96, break: null },
	concurrency: 4,
	// Each process has n8n's engine in it, and each change loads the tests again.
	maxTestRunnerReuse: 150,
	timeoutMS: 30_000,
	dryRunTimeoutMinutes: 60,
};
