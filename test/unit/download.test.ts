import { isPart } from '../../nodes/service/http/download';

test.each<[number, string | undefined, boolean]>([
	[206, undefined, true],
	[206, 'bytes 0-99/*', true],
	[206, 'bytes 0-98/100', true],
	[206, 'bytes 1-99/100', true],
	[206, 'bytes 0-99/100', false],
	[206, 'Bytes  0-99/100', false],
	[206, 'bytes 0-199/100', true],
	[200, undefined, false],
	[200, 'bytes 0-98/100', true],
	[200, 'bytes 10-98/100', true],
	[200, 'bytes 0-99/100', false],
	[200, 'bytes 0-199/100', false],
	[200, 'bytes 0-98/100x', false],
	[200, 'xbytes 0-98/100', false],
	[200, 'bytes */100', false],
	[200, 'items 0-98/100', false],
])('status %d with the range %s is a part of the file: %s', (status, range, expected) => {
	const header = (name: string) => (name === 'content-range' ? range : undefined);
	expect(isPart({ status, header })).toBe(expected);
});
