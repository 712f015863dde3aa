/** Cases of test/vectors/field: what people reported about files of recordings. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { packageFolder, run } from './support/program.mts';

interface FieldCase {
	id: string;
	kind: string;
	why: string;
	input: Input;
	accept: Outcome[];
}

interface Input {
	/** What the program gets as `call.enc`. */
	file: string;
	/** The recording that it stands for. */
	sameAs: string;
	args?: string[];
}

/** What a case accepts: all members that are there. */
interface Outcome {
	exit: number;
	bytes?: 'same';
	madeCount: number;
	/** A pattern for what the program writes to standard error. */
	says?: string;
}

const folder = resolve(packageFolder, '../test/vectors/field');
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));

const cases = (read('cases.json') as FieldCase[]).filter(({ kind }) => kind === 'file-decryptor');
/** Ids by what they wait for: those must not hold yet. */
const waiting = Object.values(read('waiting.json') as Record<string, Record<string, string[]>>)
	.flatMap((lists) => Object.values(lists))
	.flat();

interface Seen {
	exit: number | null;
	/** Files that were written. */
	made: Buffer[];
	says: string;
}

async function decrypt(content: Uint8Array, args: readonly string[] = []): Promise<Seen> {
	const cwd = temporaryFolder();
	write(cwd, 'call.enc', content);
	const { code, stderr } = await run(['-p-', ...args, 'call.enc'], { cwd, input: 'secret' });
	const made = readdirSync(cwd).filter((name) => name !== 'call.enc');
	return { exit: code, made: made.map((name) => readFileSync(join(cwd, name))), says: stderr };
}

function isAsSeen({ exit, bytes, madeCount, says }: Outcome, seen: Seen, wanted: Buffer): boolean {
	const isSame = bytes === undefined || seen.made.some((content) => content.equals(wanted));
	const isSaid = says === undefined || new RegExp(says, 'i').test(seen.says);
	return seen.exit === exit && seen.made.length === madeCount && isSame && isSaid;
}

test('the runner sees a recording that is opened', async () => {
	const wanted = readFileSync(join(folder, 'files/plain.wav'));
	const seen = await decrypt(await encrypt(wanted, 'secret'));
	assert.equal(isAsSeen({ exit: 0, bytes: 'same', madeCount: 1 }, seen, wanted), true, seen.says);
	assert.equal(isAsSeen({ exit: 1, madeCount: 0 }, seen, wanted), false);
});

for (const { id, why, input, accept } of cases) {
	const isWaiting = waiting.includes(id);
	test(`${id}${isWaiting ? ' (does not hold yet)' : ''}`, async () => {
		const seen = await decrypt(readFileSync(join(folder, input.file)), input.args);
		const wanted = readFileSync(join(folder, input.sameAs));
		const isHeld = accept.some((outcome) => isAsSeen(outcome, seen, wanted));
		if (isWaiting) assert.ok(!isHeld, `${id} holds now: remove it from waiting.json`);
		else assert.ok(isHeld, `${why}\nSeen: ${seen.exit}, ${seen.made.length}, ${seen.says}`);
	});
}
