import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

type Manifest = Partial<Record<(typeof FIELDS)[number], Record<string, string>>>;

/** For each dependency, its version in each manifest. */
const versions = new Map<string, Map<string, string>>();
for (const manifest of ['.', 'emulator', 'file-decryptor', 'harness/runtime', 'test/mutation']) {
	const content = readFileSync(join(ROOT, manifest, 'package.json'), 'utf8');
	const fields = JSON.parse(content) as Manifest;
	for (const [name, version] of FIELDS.flatMap((field) => Object.entries(fields[field] ?? {}))) {
		const known = versions.get(name) ?? new Map<string, string>();
		versions.set(name, known.set(manifest, version));
	}
}

suite('the versions of dependencies', () => {
	test('every manifest names the same one', () => {
		const different = [...versions]
			.filter(([, byManifest]) => new Set(byManifest.values()).size > 1)
			.map(([name, byManifest]) => ({ name, ...Object.fromEntries(byManifest) }));
		assert.deepEqual(different, []);
	});

	test('every manifest names an exact one', () => {
		const ranges = [...versions].flatMap(([name, byManifest]) =>
			[...byManifest.values()]
				.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))
				.map((version) => `${name} ${version}`),
		);
		assert.deepEqual(ranges, []);
	});
});
