import { randomBytes } from 'node:crypto';

import { isTextPage } from '../../nodes/recordingFile/textPage';

test.each([
	['nothing', Buffer.alloc(0)],
	['ASCII', Buffer.from('Not found\r\n')],
	['Cyrillic', Buffer.from('Страница не найдена. Обратитесь к администратору.')],
	['Japanese', Buffer.from('ページが見つかりません。')],
	['Arabic', Buffer.from('الصفحة غير موجودة')],
	['an emoji', Buffer.from('🙂 try again later')],
	['JSON with a byte order mark', Buffer.from('\ufeff{"error":"später"}')],
	['HTML in windows-1251', Buffer.from('<HTML><body>\xd1\xf2\xf0\xe0\xed\xe8\xf6\xe0', 'latin1')],
	['XML in ISO 8859-1', Buffer.from(' \n<?xml version="1.0"?><e>\xfcber</e>', 'latin1')],
	['UTF-16, little endian', Buffer.from('\ufeff<p>ошибка', 'utf16le')],
	['UTF-16 without a mark', Buffer.from('{"error":"wartet"}', 'utf16le')],
	['ISO 8859-1, one letter in ten', Buffer.from('ung\xfcltig!!', 'latin1')],
	['text of a terminal', Buffer.from('\x1b[31mСтраница не найдена\x1b[0m\f\n')],
	[
		'350 characters in windows-1251',
		Buffer.from('\xd1\xf2\xf0\xe0\xed\xe8\xf6\xe0, '.repeat(35), 'latin1'),
	],
	['UTF-16, big endian', Buffer.from('\ufeff<p>ошибка', 'utf16le').swap16()],
])('%s is a page', (_name, bytes) => {
	expect(isTextPage(bytes)).toBe(true);
});

test.each([
	['HTML behind something else', Buffer.from('\x00\xff<html>', 'latin1')],
	[
		'a byte order mark behind something else',
		Buffer.from('\x80\xff\xfea\0\x80\xfe\xff\0a', 'latin1'),
	],
	['zeros with other bytes', Buffer.from('\0'.repeat(40) + '\xff'.repeat(20), 'latin1')],
	['a byte order mark before a control character', Buffer.from('\xff\xfe\x01\0', 'latin1')],
])('%s is none', (_name, bytes) => {
	expect(isTextPage(bytes)).toBe(false);
});

test('a page that is cut within a character is still one', () => {
	const page = Buffer.from('Ошибка 🙂 '.repeat(20));
	for (let length = 1; length <= page.length; length++) {
		expect(isTextPage(page.subarray(0, length))).toBe(true);
	}
});

test('random bytes, as an encrypted recording begins with, are none', () => {
	const mistaken = Array.from({ length: 50_000 }, () => randomBytes(44)).filter(isTextPage);
	expect(mistaken).toEqual([]);
});
