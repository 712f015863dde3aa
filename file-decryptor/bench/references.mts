/** The password of every recording that the benchmark makes. */
export const PASSWORD = 'bench';

const derive = `const crypto = require('crypto'), salt = header.subarray(0, 16);
const key = crypto.pbkdf2Sync('${PASSWORD}', salt, 310000, 32, 'sha256');`;
const decipher = `${derive}
const nonce = header.subarray(16), options = { authTagLength: 16 };
const decipher = crypto.createDecipheriv('aes-256-gcm', key, nonce, options);`;

/**
 * What FileDecryptor is compared with, as code for `node -e`: the program of somebody who needs
 * none of its guarantees.
 */
export const references = {
	bare: `const fs = require('fs'), [, input, output, flush] = process.argv;
const file = fs.openSync(input), { size } = fs.fstatSync(file);
const header = Buffer.alloc(28), tag = Buffer.alloc(16);
fs.readSync(file, header, 0, 28, 0);
${decipher}
const out = fs.openSync(output, 'w'), buffer = Buffer.alloc(524288);
for (let at = 28; at < size - 16; ) {
	const length = fs.readSync(file, buffer, 0, Math.min(buffer.length, size - 16 - at), at);
	fs.writeSync(out, decipher.update(buffer.subarray(0, length)));
	at += length;
}
fs.readSync(file, tag, 0, 16, size - 16);
decipher.setAuthTag(tag).final();
if (flush) fs.fsyncSync(out);
fs.closeSync(out);`,
	oneShot: `const fs = require('fs'), [, input, output, flush] = process.argv;
const all = fs.readFileSync(input), header = all.subarray(0, 28);
${decipher}
decipher.setAuthTag(all.subarray(-16));
const plain = decipher.update(all.subarray(28, -16));
decipher.final();
const out = fs.openSync(output, 'w');
for (let at = 0; at < plain.length; ) at += fs.writeSync(out, plain, at);
if (flush) fs.fsyncSync(out);
fs.closeSync(out);`,
	keyOnly: `const header = Buffer.alloc(28); ${derive}`,
};
