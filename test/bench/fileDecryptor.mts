/** g. FileDecryptor on many files. */
import { execFileSync } from 'node:child_process';
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { inTurns, isQuick, milliseconds, noise, ratio, timeMs } from './measure.mts';
import type { Part } from './page.mts';

const FOLDER = join(import.meta.dirname, '../../file-decryptor');
const PROGRAM = join(FOLDER, 'dist/file-decryptor.cjs');
const PASSWORD = 'bench';
const BYTES = 20_000;
const MANY = 10_000;
/** So many of them are given to the other ways, which take as long for each file. */
const PART_OF_MANY = 1_000;
const COUNTS = isQuick ? [1, 4] : [1, 100, MANY];
const ROUNDS = isQuick ? 1 : 3;

/** One file after the other in one thread, without any of the guarantees. */
const BARE_LOOP = `const { createDecipheriv, pbkdf2Sync } = require('crypto'), fs = require('fs');
for (const path of process.argv.slice(1)) {
	const file = fs.readFileSync(path);
	const key = pbkdf2Sync('${PASSWORD}', file.subarray(0, 16), 310000, 32, 'sha256');
	const decipher = createDecipheriv('aes-256-gcm', key, file.subarray(16, 28), { authTagLength: 16 });
	decipher.setAuthTag(file.subarray(-16));
	fs.writeFileSync(path + '.bare', Buffer.concat([decipher.update(file.subarray(28, -16)), decipher.final()]));
}`;

export const fileDecryptor: Part = {
	letter: 'g',
	title: 'FileDecryptor',
	text: 'Milliseconds per file of 20 KB: with one process for all files, with a bare loop that decrypts one after the other, and with one process per file. Of 10,000 files, the other ways get 1,000. Key derivation takes most of the time.',
	async measure() {
		execFileSync(process.execPath, ['tools/build.mjs'], { cwd: FOLDER, stdio: 'ignore' });
		const folder = mkdtempSync(join(tmpdir(), 'voiceagent-bench-'));
		try {
			const rows: string[][] = [];
			const data: unknown[] = [];
			for (const count of COUNTS) {
				const files = writeFiles(join(folder, String(count)), count);
				const isMany = count >= MANY;
				const some = isMany ? files.slice(0, PART_OF_MANY) : files;
				const ways = {
					ours: each(count, () => decrypt([join(folder, String(count))])),
					bare: each(
						some.length,
						() => void execFileSync(process.execPath, ['-e', BARE_LOOP, ...some]),
					),
					processes: each(some.length, () => {
						for (const file of some) decrypt([file]);
					}),
				};
				const measured = await inTurns(isMany ? 1 : ROUNDS, ways, {
					warmsUp: !isMany && !isQuick,
				});
				const { ours, bare, processes } = measured;
				rows.push([
					count.toLocaleString('en-US'),
					milliseconds(ours.ms),
					`${milliseconds(bare.ms)} (${ratio(ours.ms, bare.ms)})`,
					`${milliseconds(processes.ms)} (${ratio(ours.ms, processes.ms)})`,
					noise(...Object.values(measured).map(({ ms }) => ms)),
				]);
				data.push({ count, ...measured });
			}
			const head = [
				'Files',
				'FileDecryptor',
				'Bare loop (ratio)',
				'One process for each (ratio)',
				'',
			];
			return { head, rows, data };
		} finally {
			rmSync(folder, { recursive: true });
		}
	},
};

function each(count: number, work: () => void) {
	return async () => ({ ms: (await timeMs(async () => work())) / count });
}

function decrypt(inputs: readonly string[]): void {
	const options = ['-q', '-f', '-e', 'wav'];
	execFileSync(process.execPath, [PROGRAM, ...options, ...inputs], {
		env: { ...process.env, FILE_DECRYPTOR_PASSWORD: PASSWORD },
		stdio: 'ignore',
	});
}

/** All files have the same key. Whoever opens them derives it for each. */
function writeFiles(folder: string, count: number): string[] {
	mkdirSync(folder);
	const salt = randomBytes(16);
	const key = pbkdf2Sync(PASSWORD, salt, 310_000, 32, 'sha256');
	for (let number = 0; number < count; number++) {
		const nonce = randomBytes(12);
		const cipher = createCipheriv('aes-256-gcm', key, nonce);
		const sealed = Buffer.concat([cipher.update(Buffer.alloc(BYTES)), cipher.final()]);
		writeFileSync(
			join(folder, `${number}.enc`),
			Buffer.concat([salt, nonce, sealed, cipher.getAuthTag()]),
		);
	}
	return readdirSync(folder).map((name) => join(folder, name));
}
