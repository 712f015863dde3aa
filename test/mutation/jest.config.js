const { join } = require('node:path');
const unit = require('../unit/jest.config.js');

module.exports = {
	...unit,
	testEnvironment: join(__dirname, 'environment.js'),
	// With all that is counted, a test takes many times as long.
	testTimeout: 600_000,
	moduleNameMapper: { '^n8n-workflow$': join(__dirname, 'n8nWorkflow.js') },
};
