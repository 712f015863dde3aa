import { isJsonObject, type JsonObject } from '../../../../data/json';
import type { Holds } from '../../../../data/secretForms';
import { meaningOf, type Role } from '../../../../service/list/conventions';
import { digitFiller, Fillers, hexFiller, wordFiller } from './fillers';
import * as harmless from './harmless';
import { phoneFiller } from './phones';
import { ISO_DATE, ISO_TIME, RFC_TIME, ShiftedTimes } from './shiftedTimes';
import { isKnownName, looksLikeData } from './fieldNames';

const URL_TEXT = /[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+/i;
const EMAIL = /[^\s"'<>@:;,]+@[^\s"'<>@;,]+/;
const GUID = /(?<![\da-z])[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}(?![\da-z])/i;
const HEX = /(?<![\da-z])(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,}(?![\da-z])/i;
const IP_V6 = /(?<![\da-z:])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\da-z:])/i;
const IP_V4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/;
const DOTNET_TIME = /\/Date\(-?\d+/;
const PHONE = /(?:\+|(?<!\d)00)[1-9][\d\s().\-/]{4,}\d/;
const TAG = /<[/!?]?[A-Za-z][\w:.-]*/;
/** Words, numbers, and single characters of anything but ASCII. */
const TOKEN = /[\p{L}\p{M}]+|\p{N}+|[^\p{ASCII}]/gu;
const PERCENT = /%[\da-f]{2}/i;

/** Numbers with these roles count pages and records, and say nothing about anybody. */
const COUNTS: ReadonlyArray<Role | undefined> = [
	...(['page', 'offset', 'pages', 'lastPage', 'total', 'count', 'maxPerPage'] as const),
];
/** Names of such roles that may be about a person too. */
const NAMES_OF_PEOPLE = ['from', 'to', 'number', 'start', 'end'];
const MAX_COUNT = 1_000_000;

type Rule = readonly [pattern: RegExp, replace: (text: string) => string];

/** Where a value is. */
interface Place {
	/** Beside a list of records, numbers may be kept that count them. */
	hasCounts?: boolean;
	/** In an OpenAPI document, names and references are the document's own. */
	isDocument?: boolean;
	/** The HTTP status of the answer, which a body may repeat. */
	status?: number;
}

/**
 * Replaces what an answer says by something of the same kind and form. It keeps a closed list of
 * harmless words, and the names of fields. Everything else becomes something else: the same thing
 * always the same other one.
 */
export class Anonymizer {
	private readonly words = new Fillers(wordFiller);
	private readonly digits = new Fillers(digitFiller);
	private readonly guids = new Fillers(hexFiller);
	private readonly hosts = new Fillers(() => `host-${(this.hostCount += 1)}.example`);
	private readonly times = new ShiftedTimes();
	private hostCount = 0;
	private readonly rules: readonly Rule[] = [
		[URL_TEXT, (text) => this.url(text)],
		[EMAIL, (text) => this.email(text)],
		[GUID, (text) => this.hex(text)],
		[DOTNET_TIME, (text) => this.dotNetTime(text)],
		[ISO_TIME, (text) => this.times.iso(text)],
		[RFC_TIME, (text) => this.times.rfc(text)],
		[ISO_DATE, (text) => this.times.date(text)],
		[IP_V6, () => '2001:db8::1'],
		[IP_V4, () => '192.0.2.1'],
		[PHONE, (text) => this.phone(text)],
		[HEX, (text) => this.hex(text)],
	];

	/**
	 * @param holdsSecret whether a text has a secret in it
	 * @param origin of the service
	 */
	constructor(
		private readonly holdsSecret: Holds,
		origin: string,
	) {
		this.hosts.set(new URL(origin).host, 'service.example');
	}

	/** Notes the phone numbers of a text, so that they are recognized without their + too. */
	learn(text: string): void {
		for (const [number] of text.matchAll(new RegExp(PHONE, 'g'))) this.phone(number);
	}

	/** A size stays, wherever it is. */
	keepSize(bytes: number): void {
		this.digits.set(String(bytes), String(bytes));
	}

	/** Free text, or whatever a field holds. */
	text(text: string): string {
		if (harmless.isHarmlessValue(text) && !this.holdsSecret(text)) return text;
		const json = jsonIn(text);
		if (json !== undefined) return JSON.stringify(this.value(json));
		const isEncoded = PERCENT.test(text) && !URL_TEXT.test(text);
		const decoded = isEncoded ? decodedText(text) : undefined;
		if (decoded !== undefined) return encodeURIComponent(this.text(decoded));
		if (text.trimStart().startsWith('<')) return this.markup(text);
		return this.byRules(text, this.rules);
	}

	/** A value of JSON, with everything in it. */
	value(value: unknown, place: Place = {}, name = ''): unknown {
		if (typeof value === 'string') return this.textOf(value, place, name);
		if (typeof value === 'number') return this.number(value, place, name);
		if (Array.isArray(value)) {
			const inside = { ...place, hasCounts: false };
			return value.map((one: unknown) => this.value(one, inside, name));
		}
		return isJsonObject(value) ? this.object(value, place) : value;
	}

	/** The name of a field. One that is data itself, such as a GUID or a number, is replaced. */
	fieldName(name: string): string {
		if (name.startsWith('/')) return this.path(name);
		return looksLikeData(name) || this.holdsSecret(name) ? this.byRules(name, this.rules) : name;
	}

	/** A path with its query. */
	path(path: string): string {
		const [, before = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(path) ?? [];
		const segments = before.split('/').map((segment) => this.segment(segment));
		return segments.join('/') + (query === undefined ? '' : `?${this.query(query)}`);
	}

	queryValue(name: string, value: string): string {
		return isCount(name, value) ? value : this.text(value);
	}

	header(name: string, value: string): string {
		if (this.holdsSecret(value)) return this.byRules(value, this.rules);
		if (name === 'location' && !URL_TEXT.test(value)) return this.path(value);
		if (harmless.isMediaType(value)) return value;
		if (harmless.isHarmlessNumber(name, value)) return value;
		if (!harmless.isProtocolHeader(name)) return this.text(value);
		const parts = value.split(/(<[^>]*>|[\w*'-]*\w[\w*'-]*)/);
		return parts.map((part) => this.headerPart(name, part)).join('');
	}

	private headerPart(name: string, part: string): string {
		if (harmless.isHeaderWord(part) || harmless.isHarmlessNumber(name, part)) return part;
		const [, address] = /^<(.*)>$/s.exec(part) ?? [];
		if (address === undefined) return this.byRules(part, this.rules);
		return `<${URL_TEXT.test(address) ? this.url(address) : this.path(address)}>`;
	}

	/** What the rules find in a text, the first rule first; then all words and numbers. */
	private byRules(text: string, rules: readonly Rule[]): string {
		const [rule, ...others] = rules;
		if (!rule) return this.tokens(text);
		const [pattern, replace] = rule;
		const parts = text.split(new RegExp(`(${pattern.source})`, pattern.flags));
		return parts
			.map((part, index) => (index % 2 === 1 ? replace(part) : this.byRules(part, others)))
			.join('');
	}

	private tokens(text: string): string {
		return text.replace(TOKEN, (token) => {
			if (/^\d+$/.test(token)) return this.digitRun(token);
			if (/^[\p{L}\p{M}]/u.test(token)) return this.word(token);
			return /\p{N}/u.test(token) ? '0' : '•';
		});
	}

	private word(word: string): string {
		const filler = [...this.words.of(word.toLowerCase())];
		return [...word]
			.map((letter, index) => {
				const other = filler[index] ?? 'x';
				return letter === letter.toLowerCase() ? other : other.toUpperCase();
			})
			.join('');
	}

	private digitRun(digits: string): string {
		if (this.digits.has(digits)) return this.digits.of(digits);
		const time = [10, 13, 16].includes(digits.length)
			? this.times.epoch(Number(digits))
			: undefined;
		return time === undefined ? this.digits.of(digits) : String(time);
	}

	private textOf(text: string, place: Place, name: string): string {
		if (place.hasCounts && isCount(name, text) && !this.holdsSecret(text)) return text;
		if (place.isDocument && this.isOfDocument(text, name)) return text;
		return this.text(text);
	}

	/** In an OpenAPI document: types, references, versions, and names of fields. */
	private isOfDocument(text: string, name: string): boolean {
		if (this.holdsSecret(text)) return false;
		if (harmless.isSchemaValue(text)) return true;
		if (name === '$ref')
			return text.startsWith('#/') && !text.slice(2).split('/').some(looksLikeData);
		if (['openapi', 'swagger'].includes(name)) return /^\d(?:\.\d+){1,2}$/.test(text);
		return ['required', 'name', 'operationId'].includes(name) && !looksLikeData(text);
	}

	private number(value: number, { hasCounts, status }: Place, name: string): number {
		if (this.holdsSecret(String(value))) return this.otherNumber(value);
		if (Math.abs(value) <= 1 && Number.isInteger(value)) return value;
		if (value === status || (hasCounts && isCount(name, String(value)))) return value;
		return this.times.epoch(value) ?? this.otherNumber(value);
	}

	private otherNumber(value: number): number {
		const [, sign = '', whole, fraction = ''] = /^(-?)(\d+)((?:\.\d+)?)$/.exec(String(value)) ?? [];
		if (whole === undefined) return 0;
		return Number(
			`${sign}${this.digits.of(whole)}${fraction && `.${digitFiller(fraction.slice(1))}`}`,
		);
	}

	private object(object: JsonObject, place: Place): JsonObject {
		const isMap = !place.isDocument && isMapOfData(object);
		const entries = Object.entries(object).map(([name, value]) => {
			const isData = isMap && !isKnownName(name);
			const shown = isData ? this.byRules(name, this.rules) : this.fieldName(name);
			return [shown, this.value(value, place, name)] as const;
		});
		return Object.fromEntries(entries);
	}

	/** Keeps hyphens, and the case of the letters. */
	private hex(text: string): string {
		const plain = text.replaceAll('-', '').toLowerCase();
		if (/^0+$/.test(plain)) return text;
		const filler = [...this.guids.of(plain)];
		const isUpper = /[A-F]/.test(text);
		return text.replace(/[\da-f]/gi, () => {
			const digit = filler.shift() ?? '0';
			return isUpper ? digit.toUpperCase() : digit;
		});
	}

	/** Keeps what groups the digits. */
	private phone(text: string): string {
		const prefix = text.startsWith('+') ? '+' : '00';
		const rest = text.slice(prefix.length);
		const digits = rest.replace(/\D/g, '');
		if (!this.digits.has(digits)) {
			const filler = new Fillers(phoneFiller).of(digits);
			this.digits.set(digits, filler);
		}
		const others = [...this.digits.of(digits)];
		return prefix + rest.replace(/\d/g, () => others.shift() ?? '0');
	}

	private dotNetTime(text: string): string {
		const ms = Number(text.slice('/Date('.length));
		return `/Date(${this.times.epoch(ms) ?? this.otherNumber(ms)}`;
	}

	private email(text: string): string {
		const at = text.lastIndexOf('@');
		const [, host = '', rest = ''] = /^([^?]*)(.*)$/s.exec(text.slice(at + 1)) ?? [];
		const noEmail = this.rules.slice(2);
		return `${this.byRules(text.slice(0, at), noEmail)}@${this.hosts.of(host)}${this.byRules(rest, noEmail)}`;
	}

	private url(text: string): string {
		const [, scheme = '', authority = '', rest = ''] =
			/^([a-z][a-z\d+.-]*):\/\/([^/?#]*)(.*)$/is.exec(text) ?? [];
		const shown = /^(?:https?|wss?|ftp)$/i.test(scheme) ? scheme : this.tokens(scheme);
		const host = authority.slice(authority.lastIndexOf('@') + 1);
		return `${shown}://${this.hosts.of(host)}${this.path(rest)}`;
	}

	private segment(segment: string): string {
		if (harmless.isHarmlessSegment(segment) || segment === '') return segment;
		// A parameter in the path of an OpenAPI document.
		if (segment.toLowerCase() === '{sessionguid}') return segment;
		const decoded = decodedText(segment);
		const other = this.byRules(decoded ?? segment, this.rules);
		return decoded === undefined || !PERCENT.test(segment) ? other : encodeURIComponent(other);
	}

	private query(query: string): string {
		const [plain = '', ...fragment] = query.split('#');
		const pairs = plain.split('&').map((pair) => {
			const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? [];
			// Without a value, it is one itself.
			if (value === undefined) return this.queryValue('', name);
			const decoded = decodedText(name) ?? name;
			const other = this.fieldName(decoded);
			const shown = decoded === name ? other : encodeURIComponent(other);
			return `${shown}=${this.queryValue(name, value)}`;
		});
		return [pairs.join('&'), ...fragment.map((one) => this.tokens(one))].join('#');
	}

	/** A web page or XML: the names of its elements stay. */
	private markup(text: string): string {
		const parts = text.split(new RegExp(`(${TAG.source})`));
		return parts
			.map((part, index) =>
				index % 2 === 1 && !looksLikeData(part.replace(/^\W+/, ''))
					? part
					: this.byRules(part, this.rules),
			)
			.join('');
	}
}

/** Whether a number counts pages or records, by its name. */
function isCount(name: string, text: string): boolean {
	if (!/^\d{1,6}$/.test(text) || Number(text) > MAX_COUNT) return false;
	if (NAMES_OF_PEOPLE.includes(name.toLowerCase())) return false;
	return COUNTS.includes(meaningOf(name)?.role);
}

/** Whether an object has values by something that is data: all of its values have the same form. */
function isMapOfData(object: JsonObject): boolean {
	const values = Object.values(object);
	if (values.length < 2 || !values.every(isJsonObject)) return false;
	const forms = new Set(values.map((value) => Object.keys(value).sort().join()));
	return forms.size === 1;
}

function jsonIn(text: string): unknown {
	if (!/^\s*[[{"]/.test(text)) return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function decodedText(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}
