/** The score of a run: how many of the changes that a test could notice were noticed. */
import { readFileSync } from 'node:fs';
import { explained } from './survivors.mjs';

/** Per cent. */
const LEAST = 96;

/**
 * Prints the score.
 *
 * @param {string} path of Stryker's report
 * @returns {boolean} whether it is good enough
 */
export function isEnough(path) {
	/** @type {import('@stryker-mutator/api/core').schema.MutationTestResult} */
	const { files } = JSON.parse(readFileSync(path, 'utf8'));
	const changes = Object.entries(files).flatMap(([file, { source, mutants }]) => {
		const lines = source.split('\n').map((line) => line.trim());
		return mutants.map(({ status, location, replacement }) => ({
			status,
			text: [file, lines[location.start.line - 1], replacement].join('\n'),
		}));
	});
	const known = explained
		.filter(({ file }) => file in files)
		.map(({ file, code, replacement }) => [file, code, replacement].join('\n'));
	const noticed = changes.filter(({ status }) => status === 'Killed' || status === 'Timeout');
	const others = changes.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
	for (const text of known.filter((one) => !others.some((other) => other.text === one))) {
		console.error(`Not found any more, remove it from survivors.mjs: ${text}`);
	}
	const all = noticed.length + others.filter(({ text }) => !known.includes(text)).length;
	const percent = (noticed.length / all) * 100;
	console.log(`${percent.toFixed(1)} %, ${noticed.length} of ${all}, noticed; at least ${LEAST} %`);
	return percent >= LEAST;
}
