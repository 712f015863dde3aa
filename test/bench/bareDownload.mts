/**
 * `node bareDownload.mts <folder> <password> <url> <session GUIDs>`: downloads, decrypts, hashes
 * and writes recordings, one after the other, as simply as it can be done. Prints the milliseconds.
 */
import { createDecipheriv, createHash, pbkdf2Sync } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const [folder = '', password = '', url = '', guids = ''] = process.argv.slice(2);
const start = performance.now();
for (const guid of guids.split(',')) {
	const response = await fetch(`${url}/api/customer/recordings/${guid}`);
	const file = await open(join(folder, guid), 'w');
	const hash = createHash('sha256');
	let decipher: ReturnType<typeof createDecipheriv> | undefined;
	let held: Buffer = Buffer.alloc(0);
	const write = async (plain: Buffer) => {
		hash.update(plain);
		await file.write(plain);
	};
	for await (const chunk of response.body ?? []) {
		held = Buffer.concat([held, chunk]);
		if (held.length < 44) continue;
		if (!decipher) {
			const key = pbkdf2Sync(password, held.subarray(0, 16), 310_000, 32, 'sha256');
			const nonce = held.subarray(16, 28);
			decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
			held = held.subarray(28);
		}
		await write((decipher as ReturnType<typeof createDecipheriv>).update(held.subarray(0, -16)));
		held = held.subarray(-16);
	}
	if (!decipher) throw new Error('There is no header.');
	const gcm = decipher as unknown as { setAuthTag(tag: Buffer): void; final(): Buffer };
	gcm.setAuthTag(held);
	gcm.final();
	hash.digest('hex');
	await file.close();
}
console.log(performance.now() - start);
