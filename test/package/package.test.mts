import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, suite, test } from 'node:test';

import { packedPackage } from '../../harness/n8n/n8n.mts';

const ROOT = join(import.meta.dirname, '../..');

/** What n8n runs on published packages; it comes without types. */
const scanner: string = '@n8n/scan-community-package/scanner/scanner.mjs';
const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(scanner)) as {
	analyzePackage(
		folder: string,
		patterns?: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
	SOURCE_FILE_PATTERNS: string[];
};

suite('the published package', () => {
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent-package-'));
	execFileSync('tar', ['-xzf', packedPackage(), '-C', folder]);
	const unpacked = join(folder, 'package');
	after(() => rmSync(folder, { recursive: true, force: true }));

	const files = readdirSync(unpacked, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(unpacked, join(entry.parentPath, entry.name)));

	test('holds dist/, package.json, README.md and LICENSE.md, and in dist/ only what runs [fault 52] [security 8]', () => {
		const others = files.filter((file) => !file.startsWith('dist/'));
		assert.deepEqual(others.sort(), ['LICENSE.md', 'README.md', 'package.json']);
		const allowed =
			/^dist\/(?:(?:nodes|credentials)\/.*\.js|nodes\/.*\.node\.json|icons\/.*\.svg)$/;
		assert.deepEqual(
			files.filter((file) => file.startsWith('dist/') && !allowed.test(file)),
			[],
		);
	});

	test('has no runtime dependencies, scripts that run on install, or overrides [fault 52] [promise 5] [security 8]', () => {
		const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as {
			[field: string]: unknown;
			scripts: Record<string, string>;
		};
		for (const field of [
			'dependencies',
			'optionalDependencies',
			'bundleDependencies',
			'overrides',
		]) {
			assert.equal(manifest[field], undefined, field);
		}
		assert.deepEqual(manifest.peerDependencies, { 'n8n-workflow': '*' });
		for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
			assert.equal(manifest.scripts[script], undefined, script);
		}
	});

	test('imports nothing besides n8n-workflow and node:crypto [fault 52]', () => {
		const imported = files
			.filter((file) => file.endsWith('.js'))
			.flatMap((file) => [
				...readFileSync(join(unpacked, file), 'utf8').matchAll(
					/require\(["']([^."'][^"']*)["']\)/g,
				),
			])
			.map(([, name]) => name);
		assert.deepEqual([...new Set(imported)].sort(), ['n8n-workflow', 'node:crypto']);
	});

	test("n8n's scanner accepts the packed files", async () => {
		const result = await analyzePackage(unpacked);
		assert.ok(result.passed, result.details ?? result.message);
	});

	test("n8n's scanner accepts the sources", async () => {
		const result = await analyzePackage(ROOT, SOURCE_FILE_PATTERNS);
		assert.ok(result.passed, result.details ?? result.message);
	});
});
