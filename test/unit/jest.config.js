const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '../..');
const vectors = join(root, 'test/vectors');
const json = (name) => JSON.parse(readFileSync(join(vectors, name), 'utf8'));

/**
 * Unit tests of pure functions. What a user sees is tested in test/n8n. Types are checked by
 * `npm run typecheck`, so that these tests start quickly.
 */
module.exports = {
	rootDir: root,
	roots: ['<rootDir>/test/unit'],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: join(__dirname, 'tsconfig.json'), diagnostics: false }],
	},
	// The rules for nodes, which hold in every .ts file, allow no access to files.
	globals: {
		wycheproof: {
			aesGcm: json('wycheproof/aes_gcm_test.json'),
			pbkdf2: json('wycheproof/pbkdf2_hmacsha256_test.json'),
		},
		publicErrors: json('publicApis/errors.json'),
		phoneNumbers: json('phoneNumbers/numbers.json'),
		javaRecordings: json('java/recordings.json').map((recording) => ({
			...recording,
			content: readFileSync(join(vectors, 'java', recording.file), 'base64'),
		})),
	},
	// By default, jest leaves one core idle.
	maxWorkers: '100%',
	testTimeout: 60_000,
};
