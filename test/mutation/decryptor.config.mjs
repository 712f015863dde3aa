/** For the core of FileDecryptor: what decides whether a byte comes out. Its tests start the built program. */
import nodes from './stryker.config.mjs';

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	...nodes,
	mutate: ['decryptRecording', 'sameChunks'].map((name) => `file-decryptor/src/${name}.mts`),
	ignorePatterns: nodes.ignorePatterns?.filter((pattern) => pattern !== 'file-decryptor'),
	disableTypeChecks: 'file-decryptor/src/*.mts',
	buildCommand: undefined,
	// The program learns from its environment which change to run with.
	testRunner: 'command',
	commandRunner: { command: `"${process.execPath}" test/mutation/decryptorTests.mjs` },
	coverageAnalysis: 'off',
};
