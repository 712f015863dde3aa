const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

// Published test vectors live beside the repository. Where they are absent, the tests that need them are skipped.
const vectors = join(__dirname, '../shared/vectors/wycheproof/aes_gcm_test.json');

/** Unit tests of pure functions. What a user sees is tested in a real n8n: see test/n8n. */
module.exports = {
	roots: ['<rootDir>/test/unit'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.unit.json' }] },
	globals: {
		wycheproofAesGcm: existsSync(vectors) ? JSON.parse(readFileSync(vectors, 'utf8')) : null,
	},
	testTimeout: 60_000,
};
