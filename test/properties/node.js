/** What Node itself says about addresses, paths, headers and time: n8n's linter allows none of it in files of TypeScript. */
const { validateHeaderValue } = require('node:http');
const { BlockList } = require('node:net');
const { posix } = require('node:path');

/** Only `npm run fuzz` measures time: on a busy machine it must not decide about `npm test`. */
const isTimed = process.env.PROPERTIES_TIMED !== undefined;

/**
 * @param {() => Promise<unknown>} work
 * @returns {Promise<number>} how long the processor worked, in milliseconds
 */
async function cpuMsOf(work) {
	const start = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1000;
}

module.exports = { BlockList, cpuMsOf, isTimed, posix, validateHeaderValue };
