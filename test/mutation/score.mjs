/** The score of a run: how many of the changes that a test could notice were noticed. */
import { readFileSync } from 'node:fs';
import { explained } from './survivors.mjs';

/** Per cent. */
const LEAST = 95;

/**
 * Prints the score of each file, and of all together.
 *
 * @param {string} path of Stryker's report
 * @returns {boolean} whether it is good enough
 */
export function isEnough(path) {
	/** @type {import('@stryker-mutator/api/core').schema.MutationTestResult} */
	const { files } = JSON.parse(readFileSync(path, 'utf8'));
	let noticed = 0;
	let all = 0;
	for (const [file, { source, mutants }] of Object.entries(files)) {
		const lines = source.split('\n');
		const ofFile = explained.filter((one) => one.file === file);
		const of = { noticed: 0, all: 0 };
		const found = new Set();
		for (const { status, location, replacement } of mutants) {
			const code = lines[location.start.line - 1]?.trim();
			const known = ofFile.find((one) => one.code === code && one.replacement === replacement);
			const isNoticed = status === 'Killed' || status === 'Timeout';
			if (known && !isNoticed) found.add(known);
			else if (isNoticed || status === 'Survived' || status === 'NoCoverage') {
				of.all += 1;
				of.noticed += Number(isNoticed);
			}
		}
		for (const one of ofFile.filter((known) => !found.has(known))) {
			console.error(`Not found any more, remove it from survivors.mjs: ${file}: ${one.code}`);
		}
		if (of.all > 0) console.log(`${percent(of)}  ${of.noticed} of ${of.all}  ${file}`);
		noticed += of.noticed;
		all += of.all;
	}
	console.log(`${percent({ noticed, all })}  ${noticed} of ${all}  noticed; at least ${LEAST}.0 %`);
	return noticed >= (all * LEAST) / 100;
}

/** @param {{ noticed: number, all: number }} counts */
function percent({ noticed, all }) {
	return `${((noticed / all) * 100).toFixed(1).padStart(5)} %`;
}
