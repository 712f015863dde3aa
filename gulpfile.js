/* The steps of the build that tsc does not do. Globs are explicit: nothing else reaches dist/. */
const { rm } = require('node:fs/promises');
const { dest, parallel, src } = require('gulp');

/** Removes the last build, so that a renamed file leaves nothing behind. */
async function clean() {
	await rm('dist', { recursive: true, force: true });
}

/** Copies the themed icons, byte for byte. */
function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

/** Copies the codex files (categories, aliases, documentation links) beside their nodes. */
function codex() {
	return src('nodes/*/*.node.json', { base: '.' }).pipe(dest('dist'));
}

module.exports = { clean, assets: parallel(icons, codex) };
