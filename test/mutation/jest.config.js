const { join } = require('node:path');
const unit = require('../unit/jest.config.js');

module.exports = {
	...unit,
	testEnvironment: join(__dirname, 'environment.js'),
	moduleNameMapper: { '^n8n-workflow$': join(__dirname, 'n8nWorkflow.js') },
};
