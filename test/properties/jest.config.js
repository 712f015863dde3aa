const { join } = require('node:path');

/** Properties of pure functions, on arbitrary values that fast-check makes. */
module.exports = {
	...require('../unit/jest.config.js'),
	roots: ['<rootDir>/test/properties'],
	reporters: ['default', join(__dirname, 'casesReporter.js')],
	maxWorkers: 2,
	testTimeout: 10 * 60_000,
};
