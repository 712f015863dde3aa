import assert from 'node:assert/strict';
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Outcome } from '../src/report.mts';
import { wav } from './support/audio.mts';
import { assertRefused, decryptCall, encrypted, folderWithCall } from './support/call.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { jsonLines, run } from './support/program.mts';

/** Opens all `.enc` files of a folder. Two runs share the work, because keys take time. */
async function openAll(folder: string): Promise<Outcome[]> {
	const names = readdirSync(folder).filter((name) => name.endsWith('.enc'));
	const half = Math.ceil(names.length / 2);
	const ends = await Promise.all(
		[names.slice(0, half), names.slice(half)].map(async (files) =>
			run(['-p-', '--json', ...files], { cwd: folder, input: 'secret' }),
		),
	);
	assert.deepEqual(
		ends.map(({ code }) => code),
		[1, 1],
	);
	return ends.flatMap(({ stdout }) => jsonLines(stdout));
}

function assertNothingWritten(folder: string): void {
	assert.deepEqual(
		readdirSync(folder).filter((name) => !name.endsWith('.enc')),
		[],
	);
}

test('every prefix of a recording is refused, without output [fault 20]', async () => {
	const folder = temporaryFolder();
	const whole = await encrypt(randomBytes(8), 'secret');
	for (let length = 0; length < whole.length; length += 1) {
		write(folder, `${length}.enc`, whole.subarray(0, length));
	}
	const results = await openAll(folder);
	assert.equal(results.length, whole.length);
	for (const { file, error } of results) {
		const expected = parseInt(file, 10) < 44 ? 'notEncrypted' : 'wrongPasswordOrAltered';
		assert.equal(error?.code, expected, file);
	}
	assertNothingWritten(folder);
});

test('every single flipped bit is refused, without output [fault 21]', async () => {
	const folder = temporaryFolder();
	const whole = await encrypt(randomBytes(1), 'secret');
	for (let bit = 0; bit < whole.length * 8; bit += 1) {
		const flipped = Buffer.from(whole);
		flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
		write(folder, `${bit}.enc`, flipped);
	}
	const results = await openAll(folder);
	assert.equal(results.length, whole.length * 8);
	for (const { file, error } of results) assert.equal(error?.code, 'wrongPasswordOrAltered', file);
	assertNothingWritten(folder);
});

test('a wrong password and an altered file give the same message [fault 22]', async () => {
	const folder = temporaryFolder();
	const whole = await encrypt(wav(1000), 'secret');
	write(folder, 'a.enc', whole);
	const wrongPassword = await run(['-q', 'a.enc', 'Secret', 'wav'], { cwd: folder });
	whole[500] = (whole[500] ?? 0) ^ 1;
	write(folder, 'a.enc', whole);
	const altered = await run(['-q', 'a.enc', 'secret', 'wav'], { cwd: folder });
	assert.equal(wrongPassword.code, 1);
	assert.equal(altered.code, 1);
	assert.equal(altered.stderr, wrongPassword.stderr);
	assertNothingWritten(folder);
});

test('other iterations, another hash, another layout and other tag sizes are refused [fault 23]', async () => {
	const folder = temporaryFolder();
	const salt = randomBytes(16);
	const nonce = randomBytes(12);
	const lay = (iterations: number, hash: string, authTagLength = 16): Record<string, Buffer> => {
		const key = pbkdf2Sync('secret', salt, iterations, 32, hash);
		const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength });
		const ciphertext = Buffer.concat([cipher.update(wav(1000)), cipher.final()]);
		return { ciphertext, tag: cipher.getAuthTag() };
	};
	const join = (parts: Record<string, Buffer>, order: string): Buffer =>
		Buffer.concat(order.split(' ').map((part) => parts[part] ?? Buffer.alloc(0)));
	const inOrder = 'salt nonce ciphertext tag';
	const header = { salt, nonce };
	const good = lay(310_000, 'sha256');
	const files = {
		iterations: join({ ...header, ...lay(100_000, 'sha256') }, inOrder),
		hash: join({ ...header, ...lay(310_000, 'sha512') }, inOrder),
		tag4: join({ ...header, ...lay(310_000, 'sha256', 4) }, inOrder),
		tag12: join({ ...header, ...lay(310_000, 'sha256', 12) }, inOrder),
		tagFirst: join({ ...header, ...good }, 'salt nonce tag ciphertext'),
		nonceFirst: join({ ...header, ...good }, 'nonce salt ciphertext tag'),
	};
	for (const [name, content] of Object.entries(files)) write(folder, `${name}.enc`, content);
	for (const { file, error } of await openAll(folder)) {
		assert.equal(error?.code, 'wrongPasswordOrAltered', file);
	}
	assertNothingWritten(folder);
	// The same recipe without a fault, to show that the faults are the reason.
	write(folder, 'good.enc', join({ ...header, ...good }, inOrder));
	assert.equal((await run(['good.enc', 'secret', 'wav'], { cwd: folder })).code, 0);
});

describe('sizes that say it all', () => {
	test('44 bytes are an empty recording', async () => {
		const folder = temporaryFolder();
		write(folder, 'a.enc', await encrypt(new Uint8Array(), 'secret'));
		const { code, stderr } = await run(['a.enc', 'secret', 'wav'], { cwd: folder });
		assert.equal(code, 0, stderr);
		assert.match(stderr, /0 bytes/);
	});

	test('0 to 43 bytes on standard input are not an encrypted recording', async () => {
		for (const length of [0, 1, 16, 28, 43]) {
			for (const args of [['-'], ['-', '--dry-run']]) {
				const { code, stdout, stderr } = await run([...args, '-q'], {
					input: Buffer.alloc(length),
					env: { FILE_DECRYPTOR_PASSWORD: 'secret' },
				});
				assert.deepEqual([code, stdout.length], [1, 0]);
				assert.match(stderr, /^standard input: This is not an encrypted recording\. /);
			}
		}
	});

	test('more than AES-GCM allows is refused at once', async () => {
		const folder = temporaryFolder();
		const path = write(folder, 'a.enc', '');
		truncateSync(path, 2 ** 36 + 13);
		const { code, stderr } = await run(['a.enc', 'secret', 'wav'], { cwd: folder });
		assert.equal(code, 1);
		assert.match(stderr, /not an encrypted recording\. It has 68\.7 GB/);
	});
});

test('a plain recording is recognized as such', async () => {
	const folder = temporaryFolder();
	write(folder, 'a.enc', wav(1000));
	const { code, stderr } = await run(['a.enc', 'secret', 'wav'], { cwd: folder });
	assert.equal(code, 1);
	assert.match(stderr, /starts like wav audio, so it may not be encrypted at all/);
	assert.deepEqual(readdirSync(join(folder)), ['a.enc']);
});

describe('what a refusal says', () => {
	const remedies =
		'If it was changed since the call, give the former one with --previous-password-file. ' +
		'If the password is right, the file is damaged: download it again.';
	type Case = [name: string, content: Uint8Array, options: string[], words: string];
	const cases: Case[] = [
		['an empty file', Buffer.alloc(0), [], 'It is empty: the download may have failed.'],
		[
			'one byte',
			Buffer.alloc(1),
			[],
			'It has 1 byte, and an encrypted recording has at least 44: the download may be incomplete.',
		],
		['a wrong password', encrypted, [], `Check the password: letter case, spaces. ${remedies}`],
		[
			'three wrong passwords',
			encrypted,
			['--previous-password-file', 'previous.txt'],
			`None of the 3 passwords opens it. ${remedies}`,
		],
		[
			'a plain recording of several pieces, of which only the first has a header',
			wav(1_000_000),
			[],
			'It starts like wav audio, so it may not be encrypted at all: try to play it. ' +
				`Check the password: letter case, spaces. ${remedies}`,
		],
	];
	const text =
		'It is text: an error page that was saved as a recording, ' +
		'or a recording in Base64 or hex. Download it again.';
	const page = '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>';
	const pages: Array<[string, Buffer]> = [
		['XML', Buffer.from(page)],
		['a page in UTF-16', Buffer.from(`\ufeff${page}`, 'utf16le')],
		['JSON', Buffer.from('{"message":"Internal server error","code":"unavailable"}')],
		['Base64 in lines', Buffer.from(encrypted.toString('base64').replace(/.{76}/g, '$&\n'))],
		['hex', Buffer.from(encrypted.toString('hex'))],
	];
	cases.push(...pages.map(([name, content]): Case => [name, content, [], text]));
	for (const [name, content, options, words] of cases) {
		test(name, async () => {
			const folder = temporaryFolder();
			write(folder, 'a.enc', content);
			write(folder, 'previous.txt', 'former\noldest\n');
			const { code, stderr } = await run(['-p-', ...options, 'a.enc'], {
				cwd: folder,
				input: 'Secret',
			});
			assert.equal(code, 1);
			assert.ok(stderr.trimEnd().endsWith(`. ${words}`), stderr);
		});
	}
});

test('a recording that is not complete yet is refused, and decrypted once it is', async () => {
	const folder = folderWithCall();
	truncateSync(join(folder, 'call.enc'), 500);
	assertRefused(await decryptCall(folder), /wrong password, or the file was altered/);
	write(folder, 'call.enc', encrypted);
	assert.equal((await decryptCall(folder)).code, 0);
});
