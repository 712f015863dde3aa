/** A text with names in braces, such as `v0:{timestamp}:{body}`. */
export interface Template {
	/** The texts around the names: one more than there are names, each of which may be empty. */
	texts: readonly string[];
	names: readonly string[];
}

/** Reads a template. A brace without its partner is text. */
export function parseTemplate(text: string): Template {
	const parts = text.split(/\{(\w+)\}/);
	return {
		texts: parts.filter((_, index) => index % 2 === 0),
		names: parts.filter((_, index) => index % 2 === 1),
	};
}

/** The values that a header has for each name of its format, in the order of the header. */
export type HeaderValues = ReadonlyMap<string, readonly string[]>;

/** What separates the values of a header (RFC 9110, section 5.6), or several signatures. */
const SEPARATOR = /[,;\s]+/;

/**
 * Reads the values of a header as its format says.
 *
 * If each value has a text of its own before it, as in `t={timestamp},v1={signature}`, the values
 * may stand in any order, several times (such as a signature with the previous secret), and between
 * others that the format does not name. Otherwise, as in `{timestamp}.{signature}`, the header must
 * be exactly as the format.
 *
 * @returns nothing for any name if the header is not of this format
 */
export function readHeader(format: Template, header: string): HeaderValues {
	const text = header.trim();
	const elements = listElements(format);
	return elements ? readList(elements, text) : readInOrder(format, text);
}

/** One value of a list: `v1={signature}`. */
interface Element {
	name: string;
	/** The text before the value. */
	prefix: string;
	/** The text behind it. */
	suffix: string;
}

/** The elements of a format that is a list; `undefined` if they cannot be told apart. */
function listElements({ texts, names }: Template): Element[] | undefined {
	const elements: Element[] = [];
	for (const [index, name] of names.entries()) {
		const before = texts[index] ?? '';
		const behind = texts[index + 1] ?? '';
		const isFirst = index === 0;
		const isLast = index === names.length - 1;
		// Between two values, the text before the separator belongs to the first one.
		if (!isFirst && !SEPARATOR.test(before)) return undefined;
		elements.push({
			name,
			prefix: isFirst ? before.trimStart() : afterSeparator(before),
			suffix: isLast ? behind.trimEnd() : beforeSeparator(behind),
		});
	}
	const isAlone = elements.length === 1;
	const areDistinct = elements.every((one) => {
		const others = elements.filter((other) => other !== one);
		return one.prefix !== '' && !others.some(({ prefix }) => prefix.startsWith(one.prefix));
	});
	return isAlone || areDistinct ? elements : undefined;
}

function afterSeparator(text: string): string {
	const separator = SEPARATOR.exec(text);
	return separator ? text.slice(separator.index + separator[0].length) : text;
}

function beforeSeparator(text: string): string {
	return text.split(SEPARATOR, 1)[0] ?? '';
}

function readList(elements: readonly Element[], header: string): HeaderValues {
	const values = new Map(elements.map(({ name }) => [name, [] as string[]]));
	for (const part of partsOf(elements, header)) {
		for (const { name, prefix, suffix } of elements) {
			const value = part.slice(prefix.length, part.length - suffix.length);
			if (value !== '' && part === `${prefix}${value}${suffix}`) values.get(name)?.push(value);
		}
	}
	return values;
}

/** The parts of a header that may each be a value with the texts around it. */
function partsOf(elements: readonly Element[], header: string): string[] {
	const texts = elements.map(({ prefix, suffix }) => prefix + suffix).join('');
	// A text with a blank in it, such as `Signature {signature}`: nothing can separate values.
	if (/\s/.test(texts)) return [header];
	// A text with a comma in it, such as `v1,{signature}` of Standard Webhooks: blanks separate.
	const separator = /[,;]/.test(texts) ? /\s+/ : SEPARATOR;
	return header.split(separator);
}

function readInOrder({ texts, names }: Template, header: string): HeaderValues {
	const values = new Map<string, string[]>();
	const [start = '', ...others] = texts;
	if (!header.startsWith(start)) return values;
	let position = start.length;
	for (const [index, name] of names.entries()) {
		const behind = others[index] ?? '';
		const isLast = index === names.length - 1;
		const end = isLast ? header.length - behind.length : header.indexOf(behind, position);
		if (end <= position || !header.startsWith(behind, end)) return new Map();
		values.set(name, [header.slice(position, end)]);
		position = end + behind.length;
	}
	return values;
}
