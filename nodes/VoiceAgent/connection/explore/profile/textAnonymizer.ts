import type { Holds } from '../../../../data/secretForms';
import { isCount, PageCounts } from './counts';
import { looksLikeData } from './fieldNames';
import { digitFiller, Fillers, hexFiller, wordFiller } from './fillers';
import * as harmless from './harmless';
import { partsOfMarkup } from './markup';
import {
	DOTNET_TIME,
	EMAIL,
	GUID,
	HEX,
	IP_V4,
	IP_V6,
	PERCENT,
	PHONE,
	TOKEN,
	URL_TEXT,
	decodedText,
	jsonIn,
} from './patterns';
import { phoneFiller } from './phones';
import { ISO_DATE, ISO_TIME, RFC_TIME, ShiftedTimes } from './shiftedTimes';

type Rule = readonly [pattern: RegExp, replace: (text: string) => string];

/**
 * Replaces texts by others of the same kind and form. It keeps a closed list of harmless words.
 * Everything else becomes something else: the same thing always the same other one.
 */
export abstract class TextAnonymizer {
	private readonly words = new Fillers(wordFiller);
	protected readonly counts = new PageCounts();
	protected readonly digits = new Fillers(digitFiller, (filler, digits) =>
		this.counts.areAlike(Number(filler), Number(digits)),
	);
	private readonly guids = new Fillers(hexFiller);
	private readonly hosts = new Fillers(() => `host-${(this.hostCount += 1)}.example`);
	protected readonly times = new ShiftedTimes();
	private hostCount = 0;
	protected readonly rules: readonly Rule[] = [
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
		protected readonly holdsSecret: Holds,
		origin: string,
	) {
		this.hosts.set(new URL(origin).host, 'service.example');
	}

	/** A value of JSON, such as one that a text holds. */
	abstract value(value: unknown): unknown;

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

	/** What the rules find in a text, the first rule first; then all words and numbers. */
	protected byRules(text: string, rules: readonly Rule[]): string {
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
		return `/Date(${this.times.epoch(ms) ?? Number(this.digits.of(String(ms)))}`;
	}

	private email(text: string): string {
		const at = text.lastIndexOf('@');
		const [, host = '', rest = ''] = /^([^?]*)(.*)$/s.exec(text.slice(at + 1)) ?? [];
		const noEmail = this.rules.slice(2);
		return `${this.byRules(text.slice(0, at), noEmail)}@${this.hosts.of(host)}${this.byRules(rest, noEmail)}`;
	}

	protected url(text: string): string {
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
		return partsOfMarkup(text)
			.map(({ part, isName }) => (isName ? part : this.byRules(part, this.rules)))
			.join('');
	}
}
