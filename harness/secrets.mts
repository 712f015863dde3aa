/** Searches what programs have written for secrets, in plain text and in each usual encoding. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface Source {
	name: string;
	chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface Finding {
	/** Name of the secret. */
	secret: string;
	/** How it is written there. */
	spelling: string;
	source: string;
}

/** A secret as it may occur in a file, by the name of the encoding. */
export function spellings(secret: string): Map<string, Buffer> {
	const bytes = Buffer.from(secret);
	const json = JSON.stringify(secret).slice(1, -1);
	const texts = new Map<string, string>([
		['plain', secret],
		['JSON', json],
		['JSON in JSON', JSON.stringify(json).slice(1, -1)],
		['URL', encodeURIComponent(secret)],
		['form', new URLSearchParams({ '': secret }).toString().slice(1)],
		['hex', bytes.toString('hex')],
	]);
	for (const skipped of [0, 1, 2]) {
		const base64 = base64Of(bytes, skipped);
		texts.set(`Base64 from byte ${skipped}`, base64);
		const forUrls = base64.replaceAll('+', '-').replaceAll('/', '_');
		texts.set(`Base64 for URLs from byte ${skipped}`, forUrls);
	}
	const found = new Map([...texts].map(([name, text]) => [name, Buffer.from(text)]));
	return found.set('UTF-16', Buffer.from(secret, 'utf16le'));
}

/**
 * The characters that are in the Base64 of any text that contains the secret.
 *
 * @param before how many bytes in front of the secret share its first group of three
 */
function base64Of(bytes: Buffer, before: number): string {
	const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
	const first = Math.ceil((before * 8) / 6);
	const end = Math.floor(((before + bytes.length) * 8) / 6);
	return text.slice(first, end);
}

/** @param secrets by name */
export async function findSecrets(
	secrets: Record<string, string>,
	sources: AsyncIterable<Source> | Iterable<Source>,
): Promise<Finding[]> {
	const wanted = Object.entries(secrets).flatMap(([secret, text]) =>
		[...spellings(text)].map(([spelling, bytes]) => ({ secret, spelling, bytes })),
	);
	const longest = Math.max(...wanted.map(({ bytes }) => bytes.length));
	const findings = new Map<string, Finding>();
	for await (const { name: source, chunks } of sources) {
		// A secret may lie across the border of two chunks.
		let end = Buffer.alloc(0);
		for await (const chunk of chunks) {
			const text = Buffer.concat([end, chunk]);
			for (const { secret, spelling, bytes } of wanted) {
				if (!text.includes(bytes)) continue;
				const finding = { secret, spelling, source };
				findings.set(JSON.stringify(finding), finding);
			}
			end = text.subarray(Math.max(0, text.length - longest + 1));
		}
	}
	return [...findings.values()];
}

/** @throws {AssertionError} if one of the secrets is in the text, however it is written */
export async function assertNoSecret(text: string, ...secrets: string[]): Promise<void> {
	const byName = Object.fromEntries(secrets.map((secret) => [secret, secret]));
	assert.deepEqual(await findSecrets(byName, [linesOf('text', [text])]), []);
}

/** All files below a folder, without the packages that are installed there. */
export async function* filesBelow(folder: string): AsyncGenerator<Source> {
	for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
		const name = join(entry.parentPath, entry.name);
		if (!entry.isFile() || name.includes('node_modules')) continue;
		yield { name, chunks: createReadStream(name, { highWaterMark: 1024 * 1024 }) };
	}
}

/** The values in a SQLite database: in the file, a long one lies in several pieces. */
export function* valuesIn(file: string): Generator<Source> {
	const database = new DatabaseSync(file, { readOnly: true });
	try {
		const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
		for (const { name } of tables) {
			const rows = database.prepare(`SELECT * FROM "${String(name)}"`).iterate();
			yield { name: `table ${String(name)}`, chunks: valuesOf(rows) };
		}
	} finally {
		database.close();
	}
}

function* valuesOf(rows: Iterable<Record<string, unknown>>): Generator<Uint8Array> {
	const bytesOf = (value: unknown) =>
		value instanceof Uint8Array ? value : Buffer.from(`${String(value)}\n`);
	for (const row of rows) yield Buffer.concat(Object.values(row).map(bytesOf));
}

/** Lines, such as those of a log. */
export function linesOf(name: string, lines: readonly string[]): Source {
	return { name, chunks: lines.map((line) => Buffer.from(`${line}\n`)) };
}
