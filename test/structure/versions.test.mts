import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
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
				.filter((version) => !/^(npm:typescript@)?\d+\.\d+\.\d+$/.test(version))
				.map((version) => `${name} ${version}`),
		);
		assert.deepEqual(ranges, []);
	});

	// npm 10 does not install an optional package that is missing in the lock file. CI runs these
	// folders on macOS and Windows too.
	for (const folder of ['.', 'emulator', 'file-decryptor']) {
		test(`the lock file in ${folder} has the optional packages of every system`, () => {
			const lock = readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8');
			const { packages } = JSON.parse(lock) as { packages: Record<string, Manifest> };
			const locked = new Set(
				Object.keys(packages).map((path) => path.split('node_modules/').at(-1)),
			);
			const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
				Object.keys(optionalDependencies),
			);
			assert.deepEqual(
				wanted.filter((name) => !locked.has(name)),
				[],
			);
		});
	}
});

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

suite('the oldest n8n that is supported', () => {
	/** The first versions in which n8n's advisory on the sandbox of expressions is patched. */
	const PATCHED = new Map([
		['2.37', 7],
		['2.38', 2],
	]);
	const [, oldest = ''] = /\*\*(\S+) is the oldest version/.exec(read('docs/hosting.md')) ?? [];

	test('is the same on every page, and one that the weekly tests try', () => {
		for (const page of ['README.md', 'docs/getting-started.md', 'docs/hosting.md']) {
			const named = [...read(page).matchAll(/n8n[ :-]+(2\.\d+\.\d+)(?: |%20)or(?: |%20)later/g)];
			assert.deepEqual([...new Set(named.map(([, version]) => version))], [oldest], page);
		}
		assert.match(read('.github/workflows/weekly.yml'), new RegExp(`n8n: \\[.*'${oldest}'`));
	});

	test('was tried, and so was the version that the tests run, by a page with a date', () => {
		const sentence = /^On 20\d\d-\d\d-\d\d, [1-9]\d* rows of tests ran in each of these: .*$/m;
		const [said = ''] = sentence.exec(read('docs/hosting.md')) ?? [];
		const { dependencies } = JSON.parse(read('harness/runtime/package.json')) as {
			dependencies: Record<string, string>;
		};
		for (const version of [oldest, dependencies.n8n]) {
			assert.ok(said.includes(`n8n ${version}, Node 24 (all passed)`), said);
		}
	});

	test('has the patch of n8n for the sandbox of expressions', () => {
		const [major, minor = 0, patch = 0] = oldest.split('.').map(Number);
		const needed = PATCHED.get(`${major}.${minor}`) ?? (minor > 38 ? 0 : Infinity);
		assert.ok(major === 2 && patch >= needed, oldest);
	});
});

suite('the version of the release', () => {
	const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version;
	const version = versionIn('package.json');

	test('is the same in the three packages and their lock files', () => {
		const files = ['.', 'emulator', 'file-decryptor'].flatMap((folder) =>
			['package.json', 'package-lock.json'].map((name) => join(folder, name)),
		);
		assert.deepEqual(
			files.filter((file) => versionIn(file) !== version),
			[],
		);
	});

	test('is the newest of the changelog, with a date if it is released, and something to say', () => {
		const [, newest = ''] = read('CHANGELOG.md').split(/^(?=## )/m);
		const heading = /^## (\d+\.\d+\.\d+)(?: - (\d{4}-\d\d-\d\d)| \(not released yet\))$/m;
		const [, described, date] = heading.exec(newest) ?? [];
		assert.equal(described, version);
		assert.ok(date === undefined || new Date(date).getTime() <= Date.now(), date);
		assert.match(newest, /^- /m);
	});

	test('is that of every tarball which a page names, and of the status in the README', () => {
		const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];
		const named = pages
			.filter((page) => page.endsWith('.md'))
			.flatMap((page) => [
				...read(page).matchAll(/n8n-nodes-voiceagent-(\S+?)\.tgz|Version (\S+) is tested/g),
			])
			.map(([, tarball, tested]) => tarball ?? tested);
		assert.deepEqual([...new Set(named)], [version]);
	});
});
