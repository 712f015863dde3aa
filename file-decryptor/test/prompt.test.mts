import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { inTerminal, skip } from './support/terminal.mts';

describe('the prompt', { skip }, () => {
	const password = ' p\u00e4ss \u{1F511} ';

	test('asks for the password without showing it', async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(100), password));
		const { code, shown } = await inTerminal('@ call.enc', { folder, typed: `${password}\r` });
		assert.equal(code, 0, shown);
		assert.match(shown, /Password of the recordings \(not shown\):/);
		assert.doesNotMatch(shown, /p\u00e4ss/);
		assert.equal(readFileSync(join(folder, 'call.wav')).length, 100);
	});

	test('also while files come and go through pipes', async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(100), password));
		const { code, shown } = await inTerminal('cat call.enc | @ - | cat > call.wav', {
			folder,
			typed: `${password}\r`,
		});
		assert.equal(code, 0, shown);
		assert.equal(readFileSync(join(folder, 'call.wav')).length, 100);
	});

	for (const [key, typed, code, message] of [
		['Ctrl-C', '\u0003', 130, /Stopped\./],
		['Ctrl-D', '\u0004', 2, /No password was entered\./],
		['Enter', '\r', 2, /No password was entered\./],
	] as const) {
		test(`${key} ends it: exit code ${code}`, async () => {
			const folder = temporaryFolder();
			write(folder, 'call.enc', await encrypt(wav(100), password));
			const end = await inTerminal('@ call.enc', { folder, typed });
			assert.equal(end.code, code, end.shown);
			assert.match(end.shown, message);
			assert.deepEqual(readdirSync(folder), ['call.enc']);
		});
	}

	test('nobody is asked if there is nothing to open', async () => {
		const folder = temporaryFolder();
		const { code, shown } = await inTerminal('@ missing.enc', { folder });
		assert.equal(code, 1);
		assert.match(shown, /^missing\.enc: There is no such file\.\s*$/);
	});
});
