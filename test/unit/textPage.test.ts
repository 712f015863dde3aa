import { randomBytes } from 'node:crypto';

import { isTextPage } from '../../nodes/recordingFile/textPage';

const utf8 = (text: string) => Buffer.from(text);
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

test.each([
	['an empty file', utf8('')],
	['ASCII', utf8('Not found\r\n')],
	['Cyrillic', utf8('Страница не найдена. Обратитесь к администратору.')],
	['Japanese', utf8('ページが見つかりません。')],
	['Arabic', utf8('الصفحة غير موجودة')],
	['an emoji', utf8('🙂 try again later')],
	['JSON with a byte order mark', utf8('\ufeff{"error":"später"}')],
	['HTML in windows-1251', latin1('<HTML><body>\xd1\xf2\xf0\xe0\xed\xe8\xf6\xe0')],
	['XML in ISO 8859-1', latin1(' \n<?xml version="1.0"?><e>\xfcber</e>')],
	['UTF-16, little endian', utf16('\ufeff<p>ошибка')],
	['UTF-16 without a mark', utf16('{"error":"wartet"}')],
	['text of a terminal', utf8('\x1b[31mСтраница не найдена\x1b[0m\f\n')],
	['Base64', utf8('UklGRiQAABBXQVZF\n'.repeat(90))],
	['hex', utf8('52494646240000105741'.repeat(90))],
	['UTF-16, big endian', utf16('\ufeff<p>ошибка').swap16()],
])('%s is a page of text', (_name, bytes) => {
	expect(isTextPage(bytes)).toBe(true);
});

test.each([
	['HTML behind something else', latin1('\x00\xff<html>')],
	['a byte order mark behind something else', latin1('\x80\xff\xfea\0\x80\xfe\xff\0a')],
	['zeros with other bytes', latin1('\0'.repeat(40) + '\xff'.repeat(20))],
	['a byte order mark before a control character', latin1('\xff\xfe\x01\0')],
])('%s is not a page of text', (_name, bytes) => {
	expect(isTextPage(bytes)).toBe(false);
});

test('a page that is cut within a character is still one', () => {
	const page = Buffer.from('Ошибка 🙂 '.repeat(20));
	for (let length = 1; length <= page.length; length++) {
		expect(isTextPage(page.subarray(0, length))).toBe(true);
	}
});

test('the first 1,024 bytes decide', () => {
	const sound = '\x01'.repeat(2_000);
	expect(isTextPage(latin1('Not found'.padEnd(1024) + sound))).toBe(true);
	expect(isTextPage(latin1('Not found'.padEnd(800) + sound))).toBe(false);
});

test('random bytes, which an encrypted recording begins with, are not a page of text', () => {
	const mistaken = Array.from({ length: 50_000 }, () => randomBytes(44)).filter(isTextPage);
	expect(mistaken).toEqual([]);
});
