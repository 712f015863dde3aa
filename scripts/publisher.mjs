/**
 * `npm run publisher`: writes the repository and the author that package.json names into every
 * other file that has them: links, the two other packages, the licenses.
 *
 * What stood there before is in the package.json of the emulator, which is written last.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { repositoryFiles } from './repositoryFiles.mjs';

/** Programs and tests read package.json themselves. */
const WRITTEN = /\.(?:md|json|ya?ml)$|^(?:nodes|credentials)\/.*\.ts$/;
const BEFORE = 'emulator/package.json';

/**
 * @param {string} file
 * @returns {{ repository: string, author: { name: string, email: string } }}
 */
function publisherIn(file) {
	const { repository, author } = JSON.parse(readFileSync(join(root, file), 'utf8'));
	return { repository: repository.url.replace(/^git\+|\.git$/g, ''), author };
}

const now = publisherIn('package.json');
const before = publisherIn(BEFORE);
if (!/^https:\/\/[^/]+\/[\w.-]+\/[\w.-]+$/.test(now.repository)) {
	console.error(`The repository in package.json is not an address: ${now.repository}`);
	process.exit(1);
}

/** @type {Array<[before: string | RegExp, now: string]>} */
const changes = [
	// Not a longer name that begins with it.
	[new RegExp(`${escaped(before.repository)}(?![\\w-])`, 'g'), now.repository],
	[`Copyright (c) 2026 ${before.author.name}`, `Copyright (c) 2026 ${now.author.name}`],
	[`"name": "${before.author.name}"`, `"name": "${now.author.name}"`],
	[`"email": "${before.author.email}"`, `"email": "${now.author.email}"`],
];

const files = repositoryFiles().filter((file) => WRITTEN.test(file) && file !== BEFORE);
const written = [...files, BEFORE].filter((file) => {
	const text = readFileSync(join(root, file), 'utf8');
	const changed = changes.reduce((rest, [from, to]) => rest.replaceAll(from, () => to), text);
	if (changed !== text) writeFileSync(join(root, file), changed);
	return changed !== text;
});
console.log(written.length === 0 ? 'Nothing to change' : `Changed:\n${written.join('\n')}`);

/** @param {string} text */
function escaped(text) {
	return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
