import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

test('no two places hold the same text or logic', () => {
	const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'lint:duplicates'], {
		cwd: ROOT,
		encoding: 'utf8',
		env: { ...process.env, FORCE_COLOR: '0' },
	});
	assert.equal(status, 0, stdout + stderr);
	// Proof that it has read something.
	assert.match(stdout, /Total:\s*\S* +\d{3,}/);
});
