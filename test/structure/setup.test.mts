/** The set-up goes on after an interruption. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { rebuildSqlite, SQLITE_BINARY } from '../../scripts/setup/sqlite.mjs';
import { installStep } from '../../scripts/setup/steps.mjs';

test('an installation that was killed begins anew, instead of half of its files', async (t) => {
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent-setup-'));
	t.after(() => rmSync(folder, { recursive: true }));
	const inFolder = (path: string) => join(folder, path);
	writeFileSync(inFolder('package.json'), '{ "name": "small", "version": "1.0.0" }');
	writeFileSync(inFolder('index.js'), '');
	execFileSync('npm', ['pack'], { cwd: folder, stdio: 'ignore' });
	const dependencies = { small: 'file:small-1.0.0.tgz' };
	writeFileSync(inFolder('package.json'), JSON.stringify({ name: 'large', dependencies }));
	execFileSync('npm', ['install', '--package-lock-only', '--offline'], { cwd: folder });

	const step = installStep({ name: 'large', title: 'Installing', folder });
	await step.work(inFolder('log'));
	assert.ok(step.isUpToDate());
	// As npm leaves it if it is killed.
	rmSync(inFolder('node_modules/small/index.js'));
	writeFileSync(inFolder('node_modules/.setup-stamp'), 'installing');
	assert.ok(!step.isUpToDate());
	await step.work(inFolder('log'));
	assert.ok(existsSync(inFolder('node_modules/small/index.js')));
});

test('in a folder with a space, which make cannot read, SQLite is compiled elsewhere', async (t) => {
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent setup-'));
	t.after(() => rmSync(folder, { recursive: true }));
	for (const name of ['sqlite3', 'node-addon-api', 'node-gyp']) {
		mkdirSync(join(folder, 'node_modules', name), { recursive: true });
	}
	const install = `case "$PWD" in *' '*) exit 1; esac; mkdir -p build/Release; : > build/Release/node_sqlite3.node`;
	const sqlite3 = { name: 'sqlite3', version: '1.0.0', scripts: { install } };
	writeFileSync(join(folder, 'node_modules/sqlite3/package.json'), JSON.stringify(sqlite3));
	await rebuildSqlite(folder, { log: join(folder, 'log'), name: 'SQLite' });
	assert.ok(existsSync(join(folder, SQLITE_BINARY)));
});
