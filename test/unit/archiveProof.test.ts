import { difference, parseIdentity } from '../../nodes/VoiceAgent/recording/archive/archiveProof';

// SHA-256 of "abc": FIPS 180-4.
const SHA256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const BASE64 = 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=';

const download = { checksum: SHA256, size: '3' };

test.each([
	['as Download writes it', SHA256, 3],
	['letter case and quotes', `"${SHA256.toUpperCase()}"`, '3'],
	['Base64', BASE64, ' 003 '],
	['a checksum from a file, with the end of the line', ` ${SHA256}\n`, 3],
])('%s: the same file', (_name, checksum, size) => {
	expect(difference(download, parseIdentity(checksum, size))).toBeUndefined();
});

test('an empty file has a size', () => expect(parseIdentity(SHA256, 0).size).toBe('0'));

test.each([
	['another checksum', SHA256.replace('b', 'c'), 3, `checksum ${SHA256} of the download, c`],
	['another size', SHA256, 4, 'size 3 of the download, 4 in the archive'],
	['a size with more zeros', SHA256, 1003, 'size 3 of the download, 1003 in'],
])('%s: another file', (_name, checksum, size, words) => {
	expect(difference(download, parseIdentity(checksum, size))).toContain(words);
});

const NO_CHECKSUM = "'sha256Checksum' of the input item is not a SHA-256 checksum";
const NO_SIZE = "'size' of the input item is not a number of bytes";
test.each([
	['no checksum', undefined, 3, NO_CHECKSUM],
	['an empty checksum', '', 3, NO_CHECKSUM],
	['MD5', '900150983cd24fb0d6963f7d28e17f72', 3, NO_CHECKSUM],
	['MD5 in Base64', 'kAFQmDzST7DWlj99KOF/cg==', 3, NO_CHECKSUM],
	['a digit too many', `0${SHA256}`, 3, NO_CHECKSUM],
	['a multipart ETag', `"${SHA256}-2"`, 3, NO_CHECKSUM],
	['a multipart checksum in Base64', `${BASE64}-2`, 3, NO_CHECKSUM],
	['a quote that goes on', `"${SHA256.slice(0, 8)}"${SHA256.slice(8)}`, 3, NO_CHECKSUM],
	['no size', SHA256, null, NO_SIZE],
	['a negative size', SHA256, -3, NO_SIZE],
	['a size with a unit', SHA256, '3 kB', NO_SIZE],
	['a size that is an object', SHA256, { toString: 3 }, NO_SIZE],
])('%s is refused', (_name, checksum, size, message) => {
	expect(() => parseIdentity(checksum, size)).toThrow(message);
});
