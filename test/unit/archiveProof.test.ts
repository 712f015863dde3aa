import { proofKey, requireProof } from '../../nodes/VoiceAgent/recording/archiveProof';

// SHA-256 and MD5 of "abc": FIPS 180-4 and RFC 1321.
const SHA256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const MD5 = '900150983cd24fb0d6963f7d28e17f72';

const proof =
	(downloadChecksum: unknown, archiveChecksum: unknown, sizes: unknown[] = [3, 3]) =>
	() =>
		requireProof({
			downloadChecksum,
			archiveChecksum,
			downloadSize: sizes[0],
			archiveSize: sizes[1],
		});

test.each([
	['SHA-256', SHA256, SHA256, [3, 3]],
	['letter case and quotes', SHA256, `"${SHA256.toUpperCase()}"`, [3, 3]],
	['MD5', MD5, MD5, ['3', 3]],
	['Base64', MD5, 'kAFQmDzST7DWlj99KOF/cg==', ['3', ' 003 ']],
	['an empty file', MD5, MD5, [0, '0']],
	['a checksum from a file, with the end of the line', SHA256, ` ${SHA256}\n`, [3, 3]],
])('%s agrees', (_name, download, archive, sizes) => {
	expect(proof(download, archive, sizes)).not.toThrow();
});

test.each([
	[
		'another checksum',
		SHA256,
		SHA256.replace('b', 'c'),
		[3, 3],
		`checksum ${SHA256} of the download, c`,
	],
	['another size', MD5, MD5, [3, 4], 'size 3 of the download, 4 in the archive'],
	['MD5 against SHA-256', MD5, SHA256, [3, 3], 'must both be MD5 or both be SHA-256'],
	['no checksum', SHA256, undefined, [3, 3], "'Checksum in Archive' is not"],
	['empty checksums', '', '', [3, 3], "'Checksum of Download' is not"],
	['a multipart ETag', MD5, `"${MD5}-2"`, [3, 3], "'Checksum in Archive' is not"],
	['a size with more zeros', MD5, MD5, [1003, 13], 'size 1003 of the download, 13 in'],
	['a checksum with a digit too many', MD5, `0${MD5}`, [3, 3], "'Checksum in Archive' is not"],
	[
		'a multipart checksum in Base64',
		MD5,
		'kAFQmDzST7DWlj99KOF/cg==-2',
		[3, 3],
		"'Checksum in Archive' is not",
	],
	['two checksums', MD5, `${MD5.slice(0, 8)}"${MD5.slice(8)}"`, [3, 3], "'Checksum in Archive'"],
	['a quote that goes on', MD5, `"${MD5.slice(0, 8)}"${MD5.slice(8)}`, [3, 3], 'in Archive'],
	['a negative size', MD5, MD5, [-3, 3], "'Size of Download (Bytes)' is not a number"],
	['no size', MD5, MD5, [3, null], "'Size in Archive (Bytes)' is not a number of bytes"],
	[
		'a size that is an object',
		MD5,
		MD5,
		[3, { toString: 3 }],
		"'Size in Archive (Bytes)' is not a number",
	],
	[
		'a size with a unit',
		MD5,
		MD5,
		['3 kB', 3],
		"'Size of Download (Bytes)' is not a number of bytes",
	],
])('%s is refused', (_name, download, archive, sizes, message) => {
	expect(proof(download, archive, sizes)).toThrow(message);
});

test('files that prove each other have the same key, others have not', () => {
	const key = proofKey(MD5, 3);
	expect(key).toBeDefined();
	expect(proofKey('kAFQmDzST7DWlj99KOF/cg==', ' 003 ')).toBe(key);
	expect(proofKey(MD5, 4)).not.toBe(key);
	expect(proofKey(SHA256, 3)).not.toBe(key);
	expect(proofKey(undefined, 3)).toBeUndefined();
	expect(proofKey(MD5, undefined)).toBeUndefined();
});
