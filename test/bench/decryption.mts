/** Speed of decryption alone, against a bare loop over `createDecipheriv`. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

import { isQuick, median, timeMs } from './measure.mts';

/** As in nodes/recordingFile/encryptedRecording.ts. The built file is measured, which is what is published. */
const { decipherVerified } = createRequire(import.meta.url)(
	'../../dist/nodes/recordingFile/encryptedRecording.js',
) as {
	decipherVerified(
		key: Buffer,
		header: Buffer,
		body: { head: Buffer; rest: AsyncGenerator<Uint8Array> },
	): AsyncGenerator<Buffer>;
};

const PLAIN_BYTES = (isQuick ? 8 : 512) * 1024 * 1024;
const RUNS = isQuick ? 1 : 7;

export interface DecryptionSpeed {
	chunkBytes: number;
	runs: number;
	/** Megabytes per second. */
	ours: number;
	/** Megabytes per second. */
	bare: number;
	/** Ours to the bare loop, from medians. */
	ratio: number;
}

/** For chunks as the network (64 KiB) and a file (1 MiB) deliver them. */
export async function measureDecryption(): Promise<DecryptionSpeed[]> {
	const key = randomBytes(32);
	const nonce = randomBytes(12);
	const sealed = seal(key, nonce);
	const results: DecryptionSpeed[] = [];
	for (const chunkBytes of [64 * 1024, 1024 * 1024]) {
		const times = { ours: [] as number[], bare: [] as number[] };
		for (let run = 0; run <= RUNS; run++) {
			const bare = await timeMs(async () => bareLoop(sealed, chunkBytes, key, nonce));
			const ours = await timeMs(async () => await throughPackage(sealed, chunkBytes, key, nonce));
			// The first round warms up.
			if (run > 0) {
				times.bare.push(bare);
				times.ours.push(ours);
			}
		}
		const [ours, bare] = [median(times.ours), median(times.bare)];
		const speed = (ms: number) => PLAIN_BYTES / 1e6 / (ms / 1000);
		results.push({
			chunkBytes,
			runs: RUNS,
			ours: speed(ours),
			bare: speed(bare),
			ratio: bare / ours,
		});
	}
	return results;
}

function seal(key: Buffer, nonce: Buffer): Buffer {
	const cipher = createCipheriv('aes-256-gcm', key, nonce);
	const ciphertext = cipher.update(Buffer.alloc(PLAIN_BYTES));
	cipher.final();
	return Buffer.concat([ciphertext, cipher.getAuthTag()]);
}

function bareLoop(sealed: Buffer, chunkBytes: number, key: Buffer, nonce: Buffer): void {
	const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
	const ciphertext = sealed.subarray(0, -16);
	for (let start = 0; start < ciphertext.length; start += chunkBytes) {
		decipher.update(ciphertext.subarray(start, start + chunkBytes));
	}
	decipher.setAuthTag(sealed.subarray(-16)).final();
}

async function throughPackage(
	sealed: Buffer,
	chunkBytes: number,
	key: Buffer,
	nonce: Buffer,
): Promise<void> {
	const header = Buffer.concat([Buffer.alloc(16), nonce]);
	async function* rest() {
		for (let start = chunkBytes; start < sealed.length; start += chunkBytes) {
			yield sealed.subarray(start, start + chunkBytes);
		}
	}
	let bytes = 0;
	const body = { head: sealed.subarray(0, chunkBytes), rest: rest() };
	for await (const chunk of decipherVerified(key, header, body)) bytes += chunk.length;
	if (bytes !== PLAIN_BYTES) throw new Error(`${bytes} of ${PLAIN_BYTES} bytes`);
}
