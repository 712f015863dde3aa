/**
 * What Node itself says about addresses, paths, headers, files and time. n8n's linter does not
 * allow it in files of TypeScript.
 */
const { validateHeaderValue } = require('node:http');
const { BlockList } = require('node:net');
const { existsSync, readFileSync } = require('node:fs');
const { join, posix } = require('node:path');

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

/**
 * The code of a Code node, as it is in the workflow.
 *
 * @param {string} workflow
 * @param {string} node
 * @returns {Function} of `$`, `$input` and `DateTime`
 */
function codeOf(workflow, node) {
	const paths = ['workflows', 'examples'].map((folder) =>
		join(__dirname, '..', '..', folder, `${workflow}.json`),
	);
	const { nodes } = JSON.parse(readFileSync(paths.find(existsSync), 'utf8'));
	const { jsCode } = nodes.find(({ name }) => name === node).parameters;
	return new Function('$', '$input', 'DateTime', jsCode);
}

/** After all that can happen without time. */
async function nextTurn() {
	await new Promise(setImmediate);
}

module.exports = { BlockList, codeOf, cpuMsOf, isTimed, nextTurn, posix, validateHeaderValue };
