/**
 * The first Node whose own SQLite has what the store uses (`setReturnArrays`).
 *
 * This file is plain JavaScript, because the build reads it on any Node.
 */
export const OLDEST_NODE = '22.16';

/** @param {string} version such as `24.0.1` */
export function isNewEnough(version) {
	const [major = 0, minor = 0] = version.split('.').map(Number);
	const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
	return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
