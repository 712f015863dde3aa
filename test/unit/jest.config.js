const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '../..');
// Published test vectors, beside the repository. Without them, the tests that need them are skipped.
const vectors = join(root, '../shared/vectors/wycheproof/aes_gcm_test.json');

/**
 * Unit tests of pure functions. What a user sees is tested in n8n: see test/n8n. For speed, types are not checked here but
 * by `npm run typecheck`.
 */
module.exports = {
	rootDir: root,
	roots: ['<rootDir>/test/unit'],
	transform: {
		'^.+\\.ts$': [
			'ts-jest',
			{ tsconfig: join(__dirname, 'tsconfig.json'), transpilation: true, diagnostics: false },
		],
	},
	globals: {
		wycheproofAesGcm: existsSync(vectors) ? JSON.parse(readFileSync(vectors, 'utf8')) : null,
	},
	testTimeout: 60_000,
};
