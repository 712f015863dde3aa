/**
 * `node fileServer.mts <sets as JSON>`: serves recordings from memory, and prints its address when
 * it is ready. In a process of its own, it costs the machine little, and the same for all that is
 * compared.
 */
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { PASSWORD } from '../../harness/serviceAccess.mts';
import { guidOf, type RecordingSet } from './recordingSets.mts';

const RECORDINGS = '/api/customer/recordings';

/** A WAV file of zeros, encrypted as in the specification, "Encrypted file (.enc) layout". */
function recording({ bytes, encrypted }: RecordingSet): Buffer {
	const plain = Buffer.alloc(bytes);
	plain.write('RIFF');
	plain.writeUInt32LE(bytes - 8, 4);
	plain.write('WAVEfmt ', 8);
	plain.writeUInt32LE(16, 16);
	plain.set([1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0], 20);
	plain.write('data', 36);
	plain.writeUInt32LE(bytes - 44, 40);
	if (!encrypted) return plain;
	const salt = randomBytes(16);
	const nonce = randomBytes(12);
	const key = pbkdf2Sync(PASSWORD, salt, 310_000, 32, 'sha256');
	const cipher = createCipheriv('aes-256-gcm', key, nonce);
	const whole = Buffer.alloc(bytes + 44);
	const piece = 1024 * 1024;
	for (let at = 0; at < bytes; at += piece) {
		whole.set(cipher.update(plain.subarray(at, at + piece)), 28 + at);
	}
	cipher.final();
	whole.set(salt);
	whole.set(nonce, 16);
	whole.set(cipher.getAuthTag(), bytes + 28);
	return whole;
}

const sets = JSON.parse(process.argv[2] ?? '[]') as RecordingSet[];
const files = new Map<string, Buffer>();
for (const [index, set] of sets.entries()) {
	const shared = set.encrypted ? undefined : recording(set);
	for (let number = 0; number < set.count; number++) {
		// Each encrypted one has a salt of its own, so each needs a key of its own.
		files.set(guidOf(index, number), shared ?? recording(set));
	}
}
const endedAt = new Date().toISOString();

const server = createServer((request, response) => {
	const path = (request.url ?? '').replace(/\?.*/, '');
	const guid = path.slice(RECORDINGS.length + 1);
	if (path === RECORDINGS) {
		const list = [...files.keys()].map((sessionGuid) => ({ sessionGuid, endedAt }));
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify(list));
	} else if (!files.has(guid)) {
		response.writeHead(404).end();
	} else if (request.method === 'DELETE') {
		response.writeHead(204).end();
	} else {
		const file = files.get(guid);
		response.setHeader('content-type', 'application/octet-stream');
		response.setHeader('content-length', file?.length ?? 0);
		response.end(file);
	}
});
server.listen(0, '127.0.0.1', () => {
	console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
