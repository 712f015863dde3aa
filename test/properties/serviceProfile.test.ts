import fc from 'fast-check';

import { isJsonObject } from '../../nodes/data/json';
import { finderOf } from '../../nodes/data/secretForms';
import { Anonymizer } from '../../nodes/VoiceAgent/connection/explore/profile/anonymizer';
import { property } from './property';

const letters = (alphabet: string) =>
	fc.string({ unit: fc.constantFrom(...alphabet), minLength: 6, maxLength: 12 });

/** What must not be in a profile, by kind. */
const canaries = {
	name: letters('abcdefghijklmnopqrstuvwxyzäéßñ'),
	greek: letters('αβγδεζηθικλμνξοπρστυφχψω'),
	chinese: letters('张伟王芳李娜刘洋陈杰杨静'),
	digits: fc.string({ unit: fc.constantFrom(...'23456789'), minLength: 7, maxLength: 12 }),
	guid: fc.uuid(),
	key: fc
		.base64String({ minLength: 24, maxLength: 40 })
		.filter((key) => [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(key))),
};

const canary = fc.oneof(...Object.values(canaries));

/** How a text may come. */
const WRITTEN: ReadonlyArray<(text: string) => string> = [
	(text) => text,
	(text) => `Dear ${text}, hello`,
	(text) => text.toUpperCase(),
	(text) => JSON.stringify({ name: text, list: [text] }),
	(text) => JSON.stringify(JSON.stringify({ [`${text} `]: text })),
	(text) => encodeURIComponent(text),
	(text) => encodeURIComponent(encodeURIComponent(`x ${text}`)),
	(text) => Buffer.from(text).toString('base64'),
	(text) => Buffer.from(text).toString('hex'),
	(text) =>
		`https://${encodeURIComponent(text)}.example.org/${text}?${encodeURIComponent(`${text} `)}=1&q=${text}#${text}`,
	(text) => `https://u:${encodeURIComponent(text)}@host/`,
	(text) => `${text}@example.org`,
	(text) => `+49 ${text}`,
	(text) => `<p class="${text}">${text}</p><!-- ${text} -->`,
	(text) => `attachment; filename="${text}.opus"; filename*=UTF-8''${encodeURIComponent(text)}`,
	(text) => `<https://x/?cursor=${encodeURIComponent(text)}>; rel="next"`,
	(text) => `${text}=1; Path=/; Max-Age=${text}`,
];

/** Where it may be. In the names of fields only if they are no names that a programmer gives. */
const PLACES: ReadonlyArray<(anonymizer: Anonymizer, text: string) => unknown> = [
	(one, text) => one.text(text),
	(one, text) => one.value({ total: text, status: text, items: [{ to: text, note: [text] }] }),
	(one, text) => one.value({ total: text, page: text, next: text }, { hasCounts: true }),
	(one, text) => one.value({ openapi: text, description: text, $ref: text }, { isDocument: true }),
	(one, text) => one.value({ [`${text} `]: 1, of: { [text]: { a: 1 }, [`x${text}`]: { a: 2 } } }),
	(one, text) =>
		one.path(`/api/customer/recordings/${text}?limit=${text}&${encodeURIComponent(`${text} `)}=1`),
	...['location', 'link', 'content-disposition', 'set-cookie', 'server', 'www-authenticate'].map(
		(name) => (one: Anonymizer, text: string) => one.header(name, text),
	),
	...['retry-after', 'x-ratelimit-reset', 'content-type', 'x-total-count', 'date'].map(
		(name) => (one: Anonymizer, text: string) => one.header(name, text),
	),
];

/** All texts, as they are and as encodings show them. */
function readings(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(readings);
	if (isJsonObject(value)) return Object.entries(value).flatMap((entry) => entry.flatMap(readings));
	const text = String(value);
	const words = text.split(/[^\w+/=-]+/);
	const decoded = [text, unescaped(text), unescaped(unescaped(text))];
	const bytes = words.flatMap((word) => [
		Buffer.from(word, 'base64').toString(),
		Buffer.from(word, 'hex').toString(),
	]);
	return [...decoded, ...bytes].map((one) => one.toLowerCase());
}

function unescaped(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

property(
	'whatever is planted, wherever and however written, is not in a profile',
	20_000,
	[canary, fc.constantFrom(...WRITTEN), fc.constantFrom(...PLACES)],
	(planted, write, place) => {
		const anonymizer = new Anonymizer(finderOf([]), 'https://voice.example.com');
		const written = write(planted);
		anonymizer.learn(written);
		const found = readings(place(anonymizer, written)).find((text) =>
			text.includes(planted.toLowerCase()),
		);
		if (found !== undefined) throw new Error(`${JSON.stringify(planted)} is in ${found}`);
	},
);

property('two things stay two, and one stays one', 5_000, [canary, canary], (one, other) => {
	const anonymizer = new Anonymizer(finderOf([]), 'https://voice.example.com');
	const shown = [one, other].map((text) => anonymizer.text(text));
	expect(shown[0]).toBe(anonymizer.text(one));
	if (one.toLowerCase() !== other.toLowerCase()) expect(shown[0]).not.toBe(shown[1]);
});
