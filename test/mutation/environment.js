const { TestEnvironment } = require('jest-environment-node');
const n8nWorkflow = require('n8n-workflow');

/** The change that a test has noticed last. @type {string | undefined} */
let noticed;

/**
 * Loads n8n-workflow once for all tests: it takes a second, and each change is tested on its own. Ends a run at the first
 * test that fails: jest alone would go on to the end of the file, and Stryker's settings to that of all files.
 */
module.exports = class extends TestEnvironment {
	constructor(...options) {
		super(...options);
		this.global.n8nWorkflow = n8nWorkflow;
	}

	handleTestEvent({ name, test }) {
		const change = process.env.__STRYKER_ACTIVE_MUTANT__;
		if (change === undefined) return;
		if (name === 'test_fn_failure') noticed = change;
		if (name === 'test_start' && noticed === change) test.mode = 'skip';
	}
};
