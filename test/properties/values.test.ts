import fc from 'fast-check';

import { filePath, nameValue } from '../../nodes/VoiceAgent/recording/file/filePath';
import { isInRanges, parseAddressRanges } from '../../nodes/VoiceAgentTrigger/addressRanges';
import { VoiceAgentError } from '../../nodes/errors';
import { parseApiCredential } from '../../nodes/service/apiCredential';
import { parseRetryAfter } from '../../nodes/service/http/answerError';
import { recordingPath } from '../../nodes/service/recordings';
import { retryDelayMs } from '../../nodes/service/http/retries';
import { canonicalSessionGuid, isGuid } from '../../nodes/service/sessionGuid';
import { documents, guids, longTexts } from './arbitraries';
import { BlockList, posix, validateHeaderValue } from './node';
import { outcomeOf, property } from './property';

const NOW = Date.UTC(2026, 10, 22);

/** Texts mainly of characters that mean something to the code that reads them. */
const textOf = (characters: string, maxLength = 40) =>
	fc.string({
		unit: fc.oneof(
			{ arbitrary: fc.constantFrom(...characters), weight: 9 },
			fc.string({ maxLength: 2, unit: 'binary' }),
		),
		maxLength,
	});

property(
	'whatever is given as a session GUID, no request leaves the path of one recording',
	9_000,
	[
		fc.oneof(
			guids,
			guids.map((guid) => ` ${guid}\n`),
			textOf('abcdef0123456789-{}_./%\\?#\r\n '),
			longTexts,
			documents,
		),
	],
	async (given) => {
		const { value: path, reason } = await outcomeOf(() => recordingPath(given));
		if (path === undefined) return expect(reason).toBe('invalidParameter');
		const url = new URL(`https://host.example/base${path}`);
		const folder = '/base/api/customer/recordings/';
		if (url.search || url.hash || !url.pathname.startsWith(folder)) throw new Error(url.href);
		const guid = decodeURIComponent(url.pathname.slice(folder.length));
		if (guid !== String(given).trim() || /[/.\\\s]/.test(guid)) throw new Error(url.href);
	},
);

property('a session GUID is the same one in any spelling', 7_000, [guids, guids], (one, other) => {
	const key = canonicalSessionGuid(one);
	if (canonicalSessionGuid(key) !== key) throw new Error(key);
	if (isGuid(one) && canonicalSessionGuid(`{${key.toUpperCase()}}`) !== key) throw new Error(key);
	const bare = (guid: string) => guid.replace(/[{}]/g, '').toLowerCase();
	if (bare(one) !== bare(other) && canonicalSessionGuid(other) === key) throw new Error(key);
});

property(
	'any Retry-After is a pause of 30 seconds at most, or none',
	12_000,
	[
		fc.oneof(
			fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
			fc.bigInt({ min: -5n, max: 10n ** 30n }).map(String),
			textOf('0123456789 -:,.GMTNovJanSun'),
			longTexts,
		),
	],
	(value) => {
		const ms = parseRetryAfter(value, NOW);
		if (ms !== undefined && !(ms >= 0)) throw new Error(`${value}: ${ms}`);
		const error = new VoiceAgentError('rateLimited', { retryAfterMs: ms, retryable: true });
		const delay = retryDelayMs(error, 1) ?? NaN;
		if (!(delay >= 0 && delay <= 30_000)) throw new Error(`${value}: ${delay}`);
	},
);

property(
	'an API key is sent as it was entered, or refused without being shown',
	10_000,
	[fc.oneof(textOf('abcXYZ0189-_.~=+/ \t\r\n\u0000é'), fc.string({ minLength: 8 }), documents)],
	async (apiKey) => {
		const fields = { baseUrl: 'https://host', apiKey };
		const { value, reason, error } = await outcomeOf(() => parseApiCredential(fields));
		if (value) {
			validateHeaderValue('Token', value.apiKey);
			if (value.apiKey !== String(apiKey).trim() || !/^[!-~]+$/.test(value.apiKey))
				throw new Error(value.apiKey);
			return;
		}
		if (reason !== 'invalidApiKey') throw new Error(reason);
		const key = String(JSON.stringify(apiKey)).slice(1, -1);
		const shown = String(error?.fullText);
		if (key.length >= 8 && typeof apiKey === 'string' && shown.includes(apiKey))
			throw new Error(shown);
	},
);

const hosts = fc.oneof(
	fc.domain(),
	fc.constantFrom(
		'localhost',
		'127.0.0.1',
		'[::1]',
		'127.1',
		'0x7f.1',
		'localhost.',
		'[::ffff:127.0.0.1]',
	),
	fc.ipV4(),
	fc.ipV6().map((ip) => `[${ip}]`),
);
const schemes = fc.constantFrom(
	'https://',
	'http://',
	'HTTPS://',
	'ftp://',
	'https:',
	'//',
	'',
	'javascript:',
	'https:///',
	'http:/',
);
const users = fc.constantFrom('', '', 'user@', 'user:pass@', '@');
const ports = fc.constantFrom('', ':443', ':80', ':8080', ':99999', ':');
const paths = fc.oneof(
	fc.constantFrom(
		'',
		'/',
		'//',
		'/base',
		'/base/',
		'/a/../b',
		'/%2e%2e/x',
		'/a?b',
		'/#',
		'/é',
		'/ ',
	),
	textOf('/.%2eab?#@\\ \t', 12),
);
const addresses = fc.oneof(
	fc.tuple(schemes, users, hosts, ports, paths).map((parts) => parts.join('')),
	textOf('https://:@[].0127localhost?#\\ ', 30),
	fc.webUrl({ withQueryParameters: true, withFragments: true }),
	documents,
);

property(
	'an API key is sent to the host of the Base URL only, and only encrypted',
	7_000,
	[addresses],
	async (baseUrl) => {
		const { value, reason } = await outcomeOf(() => parseApiCredential({ baseUrl, apiKey: 'key' }));
		if (!value) return expect(reason).toBe('invalidBaseUrl');
		const url = new URL(`${value.baseUrl}/api/customer/recordings`);
		const entered = new URL(String(baseUrl).trim());
		const isSame = url.host === entered.host && url.protocol === entered.protocol;
		const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
		const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLocal);
		const isPlain =
			url.username === '' && url.password === '' && url.search === '' && url.hash === '';
		if (!isSame || !isSafe || !isPlain || !url.pathname.endsWith('/api/customer/recordings'))
			throw new Error(url.href);
	},
);

const placeholders = fc.constantFrom(
	'{date}',
	'{to}',
	'{sessionGuid}',
	'{unknown}',
	'{',
	'}',
	'{}',
	'.{extension}',
);
const signs = fc.constantFrom(
	'/',
	'/',
	'.',
	'..',
	' ',
	'_',
	'(',
	')',
	'con',
	'NUL.',
	'audio',
	'界',
	'\\',
	':',
);
const templates = fc
	.array(
		fc.oneof(
			placeholders,
			signs,
			fc.string({ maxLength: 4 }),
			fc.integer({ min: 1, max: 250 }).map((length) => 'x'.repeat(length)),
			fc.integer({ min: 1, max: 250 }).map((length) => '界'.repeat(length)),
		),
		{ maxLength: 9 },
	)
	.map((parts) => parts.join(''));
/** One character of several code points. */
const FAMILY = '👩‍👩‍👧‍👦';
const fileValues = fc.oneof(
	textOf('./\\:*?"<>| \n\u202e\u200bcon', 12),
	fc.string({ unit: 'binary', maxLength: 90 }),
	fc.constantFrom('..', '.', '../..', '/etc/passwd', 'CON', 'nul', '', '\ud800', FAMILY.repeat(9)),
	documents,
);

/** @returns why no file or folder should have this name; `undefined` if it may */
function problemOfName(name: string): string | undefined {
	if (/^\.{0,2}$|[. ]$|^\s/.test(name)) return 'a folder or file without a name';
	if (/[\\:*?"<>|\p{Cc}\p{Cf}]/u.test(name)) return 'a character that no file can have';
	if (/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name)) return 'a device of Windows';
	if (Buffer.byteLength(name) > 255) return 'longer than file systems allow';
	if (Buffer.from(name).toString() !== name) return 'not Unicode';
	return undefined;
}

property(
	'whatever the values of a file name are, the file stays in its folder and has a name',
	7_000,
	[
		templates,
		fc.array(fc.tuple(fc.constantFrom('date', 'to', 'sessionGuid', 'extension'), fileValues)),
	],
	async (template, entries) => {
		const values = new Map(entries.map(([name, value]) => [name, nameValue(value)]));
		const { value: path, reason } = await outcomeOf(() =>
			filePath(template, (name) => values.get(name as 'to')),
		);
		if (!path) return expect(reason).toBe('invalidParameter');
		const segments = path.split('/');
		const problems = segments.map(problemOfName).filter((problem) => problem !== undefined);
		if (segments.length > template.split('/').length) problems.push('a value has added a folder');
		if (!posix.join('/folder', path).startsWith('/folder/')) problems.push('it leaves its folder');
		if (problems.length > 0) throw new Error(`${problems.join(', ')}: ${path}`);
	},
);

const ips = fc.oneof(
	fc.ipV4().map((address) => ({ address, bits: 32 })),
	fc.ipV6().map((address) => ({ address, bits: 128 })),
);

property(
	'addresses are in a range as Node itself sees it',
	5_000,
	[ips, fc.nat({ max: 128 }), ips],
	({ address, bits }, prefix, other) => {
		// Node does not treat IPv4 in IPv6 notation as IPv4.
		fc.pre(!/^[0:]*:ffff:/i.test(address) && !/^[0:]*:ffff:/i.test(other.address));
		const list = new BlockList();
		const family = (size: number) => (size === 32 ? 'ipv4' : 'ipv6');
		// There are no ranges of IPv6 addresses.
		const length = bits === 32 ? prefix % 33 : 128;
		list.addSubnet(address, length, family(bits));
		const ranges = parseAddressRanges(bits === 32 ? `${address}/${length}` : address);
		for (const one of [other, { address, bits }]) {
			if (one.bits !== bits) continue;
			const expected = list.check(one.address, family(one.bits));
			if (isInRanges(one.address, ranges) !== expected)
				throw new Error(`${one.address} in ${address}/${length}`);
		}
	},
);
