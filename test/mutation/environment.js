const { TestEnvironment } = require('jest-environment-node');
const n8nWorkflow = require('n8n-workflow');

/** Loads n8n-workflow once for all tests: it takes a second, and each change is tested on its own. */
module.exports = class extends TestEnvironment {
	constructor(...options) {
		super(...options);
		this.global.n8nWorkflow = n8nWorkflow;
	}
};
