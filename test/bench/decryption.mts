/** a. Decryption alone, against a bare loop over `createDecipheriv`. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import { inTurns, isQuick, noise, ratio, type Figure } from './measure.mts';
import { core } from './core.mts';
import type { Part } from './page.mts';

const KIB = 1024;
/** Sizes of recordings, with the sizes of the pieces in which they arrive. */
const CASES: Array<[bytes: number, pieces: number[]]> = [
	[KIB, [4 * KIB]],
	[KIB ** 2, [4 * KIB, 64 * KIB, KIB ** 2]],
	[(isQuick ? 2 : KIB) * KIB ** 2, [4 * KIB, 64 * KIB, KIB ** 2]],
];
const ROUNDS = isQuick ? 1 : 5;
/** A small recording is decrypted so often that the time can be measured. */
const MAX_TIMES = isQuick ? 10 : 5_000;
const ENOUGH_BYTES = 200_000_000;

export const decryption: Part = {
	letter: 'a',
	title: 'Decryption alone',
	text: "This package's decryption code compared with a bare loop over `createDecipheriv`, on the same bytes in memory and without key derivation.",
	async measure() {
		const head = ['Recording', 'In pieces of', 'This package', 'Bare loop', 'Time ratio', ''];
		const rows: string[][] = [];
		const data: unknown[] = [];
		for (const [bytes, pieces] of CASES) {
			const key = randomBytes(32);
			const nonce = randomBytes(12);
			const sealed = seal(bytes, key, nonce);
			const times = Math.min(MAX_TIMES, Math.ceil(ENOUGH_BYTES / bytes));
			for (const piece of pieces) {
				const measured = await inTurns(ROUNDS, {
					ours: async () =>
						await each(times, async () => await throughPackage(sealed, piece, key, nonce)),
					bare: async () => await each(times, async () => bareLoop(sealed, piece, key, nonce)),
				});
				const [ours, bare] = [measured.ours.ms, measured.bare.ms];
				rows.push([
					size(bytes),
					size(piece),
					speed(bytes, ours),
					speed(bytes, bare),
					ratio(ours, bare),
					noise(ours, bare),
				]);
				data.push({ bytes, piece, ours, bare });
			}
		}
		return { head, rows, data };
	},
};

function size(bytes: number): string {
	if (bytes >= KIB ** 3) return `${bytes / KIB ** 3} GiB`;
	return bytes >= KIB ** 2 ? `${bytes / KIB ** 2} MiB` : `${bytes / KIB} KiB`;
}

function speed(bytes: number, { median }: Figure): string {
	return `${Math.round(bytes / 1000 / median)} MB/s`;
}

async function each(times: number, work: () => Promise<void>): Promise<{ ms: number }> {
	const start = performance.now();
	for (let count = 0; count < times; count++) await work();
	return { ms: (performance.now() - start) / times };
}

function seal(bytes: number, key: Buffer, nonce: Buffer): Buffer {
	const cipher = createCipheriv('aes-256-gcm', key, nonce);
	const ciphertext = cipher.update(Buffer.alloc(bytes));
	cipher.final();
	return Buffer.concat([ciphertext, cipher.getAuthTag()]);
}

function bareLoop(sealed: Buffer, piece: number, key: Buffer, nonce: Buffer): void {
	const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
	const ciphertext = sealed.subarray(0, -16);
	for (let start = 0; start < ciphertext.length; start += piece) {
		decipher.update(ciphertext.subarray(start, start + piece));
	}
	decipher.setAuthTag(sealed.subarray(-16)).final();
}

async function throughPackage(
	sealed: Buffer,
	piece: number,
	key: Buffer,
	nonce: Buffer,
): Promise<void> {
	const header = Buffer.concat([Buffer.alloc(16), nonce]);
	async function* rest() {
		for (let start = piece; start < sealed.length; start += piece) {
			yield sealed.subarray(start, start + piece);
		}
	}
	let bytes = 0;
	const body = { head: sealed.subarray(0, piece), rest: rest() };
	for await (const chunk of core.decipherVerified(key, header, body)) bytes += chunk.length;
	if (bytes !== sealed.length - 16) throw new Error(`${bytes} of ${sealed.length - 16} bytes`);
}
