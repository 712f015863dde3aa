import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
	assertRefused,
	audio,
	decryptCall,
	encrypted,
	folderWithCall,
	runIn,
} from './support/call.mts';
import { write } from './support/folder.mts';
import { jsonLines, run } from './support/program.mts';

describe('--delete-source', () => {
	test('deletes the recording after all is stored', async () => {
		const folder = folderWithCall();
		const { code, stderr } = await runIn(folder, '-p-', '--delete-source', 'call.enc');
		assert.equal(code, 0);
		assert.match(stderr, /source deleted/);
		assert.deepEqual(readdirSync(folder), ['call.wav']);
		assert.ok(readFileSync(join(folder, 'call.wav')).equals(audio));
	});

	test('keeps it if anything went wrong', async () => {
		const folder = folderWithCall();
		const wrong = await run(['-p-', '--delete-source', 'call.enc'], { cwd: folder, input: 'no' });
		assert.equal(wrong.code, 1);
		write(folder, 'call.wav', 'mine');
		assertRefused(await decryptCall(folder, '--delete-source'), /exists/);
		assert.ok(readFileSync(join(folder, 'call.enc')).equals(encrypted));
	});

	test('keeps a file that has changed since it was read', async () => {
		const folder = folderWithCall();
		const hook = `const fs = require('node:fs'), p = fs.promises, link = p.link;
			p.link = async (...names) => { await link(...names); fs.appendFileSync('call.enc', 'x'); };`;
		const { code, stdout, stderr } = await run(['-p-', '--json', '--delete-source', 'call.enc'], {
			cwd: folder,
			input: 'secret',
			hook,
		});
		assert.equal(code, 1);
		assert.match(stderr, /It was decrypted, but the source was not deleted: The file has changed/);
		const [line] = jsonLines(stdout);
		assert.deepEqual(
			[line?.status, line?.output, line?.sourceDeleted],
			['decrypted', 'call.wav', false],
		);
		assert.ok(existsSync(join(folder, 'call.enc')));
	});

	test('flushes the file and the folder first', async () => {
		const folder = folderWithCall();
		const hook = `const fs = require('node:fs'), p = fs.promises;
			const log = (text) => fs.appendFileSync('log', text + '\\n');
			const { open, link, unlink } = p;
			p.open = async (path, ...more) => {
				const handle = await open(path, ...more), { sync } = handle;
				const name = path.endsWith('.part') ? 'file' : path;
				handle.sync = async () => (log('sync ' + name), sync.call(handle));
				return handle;
			};
			p.link = async (...names) => (log('name'), link(...names));
			p.unlink = async (path) => (path.endsWith('.enc') && log('delete'), unlink(path));`;
		const { code } = await run(['-p-', '--delete-source', 'call.enc'], {
			cwd: folder,
			input: 'secret',
			hook,
		});
		assert.equal(code, 0);
		const log = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');
		assert.deepEqual(log, ['sync file', 'name', 'sync .', 'delete', 'sync .']);
	});
});
