import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { jsonLines, run } from './support/program.mts';

const folder = temporaryFolder();

test('--json: one object per file on standard output', async () => {
	const many = temporaryFolder();
	write(many, 'a.enc', await encrypt(wav(100), 'secret'));
	write(many, 'b.enc', 'short');
	const { code, stdout, stderr } = await run(['-p-', '--json', 'a.enc', 'b.enc'], {
		cwd: many,
		input: 'secret',
	});
	assert.equal(code, 1);
	const [first, second] = jsonLines(stdout);
	assert.deepEqual(
		{ ...first, seconds: 0 },
		{
			file: 'a.enc',
			status: 'decrypted',
			output: 'a.wav',
			format: 'wav',
			bytes: 100,
			passwordIndex: 0,
			sourceDeleted: false,
			seconds: 0,
			error: null,
		},
	);
	assert.equal(second?.status, 'refused');
	assert.equal(second?.error?.code, 'notEncrypted');
	assert.doesNotMatch(stderr, /a\.enc/);
	assert.match(stderr, /b\.enc/);
});

test('--quiet: errors only', async () => {
	write(folder, 'quiet.enc', await encrypt(wav(100), 'secret'));
	const good = await run(['-q', 'quiet.enc', 'secret', 'wav'], { cwd: folder });
	assert.deepEqual([good.code, good.stdout.length, good.stderr], [0, 0, '']);
	const bad = await run(['-q', 'quiet.enc', 'secret', 'wav'], { cwd: folder });
	assert.equal(bad.code, 1);
	assert.match(bad.stderr, /^quiet\.enc: The output quiet\.wav exists\. .*--force\.\n$/);
});

test('control characters in file names do not reach the terminal', async () => {
	const name = 'a\u001b[31m\n.enc';
	write(folder, name, 'short');
	const { stderr } = await run(['-p-', name], { cwd: folder, input: 'secret' });
	assert.match(stderr, /^a\\u001b\[31m\\u000a\.enc: /);
});
