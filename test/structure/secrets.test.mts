/**
 * The search for secrets finds them however they are written. Python has encoded the ones that are
 * planted here.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test, type TestContext } from 'node:test';

import { filesBelow, findSecrets, linesOf, valuesIn, type Source } from '../../harness/secrets.mts';

const SECRET = 'Pä"s\\w %1/+?&€';
const OTHER = 'another-secret-0123';

const planted: Array<[encoding: string, text: string | Buffer]> = [
	['plain', 'see Pä"s\\w %1/+?&€ there'],
	['JSON', String.raw`{"a": "Pä\"s\\w %1/+?&€"}`],
	['JSON in JSON', String.raw`"{\"a\": \"Pä\\\"s\\\\w %1/+?&€\"}"`],
	['URL', '/p/P%C3%A4%22s%5Cw%20%251%2F%2B%3F%26%E2%82%AC/x'],
	['form', 'a=b&c=P%C3%A4%22s%5Cw+%251%2F%2B%3F%26%E2%82%AC&d=e'],
	['Base64, no byte before it', 'c2VlIFDDpCJzXHcgJTEvKz8m4oKsIHRoZXJl'],
	['Base64, one byte before it', 'eHNlZSBQw6Qic1x3ICUxLys/JuKCrCB0aGVyZQ=='],
	['Base64, two bytes before it', 'eHlzZWUgUMOkInNcdyAlMS8rPybigqwgdGhlcmU='],
	['Base64 for URLs', 'eHNlZSBQw6Qic1x3ICUxLys_JuKCrCB0aGVyZQ=='],
	['hex', '7365652050c3a422735c772025312f2b3f26e282ac207468657265'],
	['UTF-16', Buffer.from(`see ${SECRET} there`, 'utf16le')],
];

async function found(sources: AsyncIterable<Source> | Iterable<Source>): Promise<string[]> {
	const findings = await findSecrets({ password: SECRET, key: OTHER }, sources);
	return [...new Set(findings.map(({ secret, source }) => `${secret} in ${source}`))];
}

async function folderFor(t: TestContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'voiceagent-secrets-'));
	t.after(async () => await rm(folder, { recursive: true }));
	return folder;
}

suite('the search for secrets finds one that was planted', () => {
	for (const [encoding, text] of planted) {
		test(encoding, async () => {
			const bytes = Buffer.from(text as string);
			assert.deepEqual(await found([{ name: 'it', chunks: [bytes] }]), ['password in it']);
			for (let cut = 1; cut < bytes.length; cut++) {
				const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)];
				assert.deepEqual(
					await found([{ name: 'it', chunks }]),
					['password in it'],
					`cut at ${cut}`,
				);
			}
			const pieces = [...bytes].map((byte) => Buffer.of(byte));
			assert.deepEqual(await found([{ name: 'it', chunks: pieces }]), ['password in it']);
		});
	}

	test('a part of it, or another text, is none', async () => {
		const parts = [SECRET.slice(1), SECRET.slice(0, -1), OTHER.slice(1), OTHER.toUpperCase()];
		assert.deepEqual(await found([linesOf('log', parts)]), []);
	});

	test('in a large file in a folder, but not among installed packages', async (t) => {
		const folder = await folderFor(t);
		const content = Buffer.alloc(3 * 1024 * 1024, 'x');
		content.write(OTHER, 1024 * 1024 - 5);
		await writeFile(join(folder, 'large.log'), content);
		await mkdir(join(folder, 'node_modules'));
		await writeFile(join(folder, 'node_modules', 'package.js'), SECRET);
		assert.deepEqual(await found(filesBelow(folder)), [`key in ${join(folder, 'large.log')}`]);
	});

	test('in a database, where a long value lies in several pieces', async (t) => {
		const file = join(await folderFor(t), 'database.sqlite');
		const database = new DatabaseSync(file);
		database.exec('CREATE TABLE notes (id INTEGER, text TEXT, bytes BLOB)');
		const insert = database.prepare('INSERT INTO notes VALUES (?, ?, ?)');
		insert.run(1, `${'x'.repeat(10_000)}${SECRET}`, null);
		insert.run(2, null, Buffer.from(OTHER));
		database.close();
		assert.deepEqual(await found(valuesIn(file)), [
			'password in table notes',
			'key in table notes',
		]);
	});
});
