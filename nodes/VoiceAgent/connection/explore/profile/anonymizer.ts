import { isJsonObject, type JsonObject } from '../../../../data/json';
import { isNumberName } from '../../../../service/callNumbers';
import { isCount } from './counts';
import { isKnownName, looksLikeData } from './fieldNames';
import * as harmless from './harmless';
import { EMAIL, PHONE, URL_TEXT } from './patterns';
import { TextAnonymizer } from './textAnonymizer';

/** Below these, the keys of an OpenAPI document are names that its author has chosen. */
const GROUPS_OF_DOCUMENT = [
	...['paths', 'properties', 'responses', 'schemas', 'definitions', 'parameters', 'headers'],
	...['callbacks', 'examples', 'links', 'requestBodies', 'securitySchemes', 'securityDefinitions'],
];
/** What an OpenAPI document says by way of example, or beyond its standard, is data. */
const DATA_OF_DOCUMENT = /^(?:example|value|default|x-.*)$/;
const PERSONAL = new RegExp(`^(?:${EMAIL.source}|${PHONE.source})$`);

/** Where a value is. */
interface Place {
	/** Beside a list of records, numbers may be kept that count them. */
	hasCounts?: boolean;
	/** In an OpenAPI document, names and references are the document's own. */
	isDocument?: boolean;
	/** In an OpenAPI document, beside the place of a parameter, which has a name. */
	isParameter?: boolean;
	/** What a document has as an example. Its names are those of the document. */
	isExample?: boolean;
	/** The HTTP status of the answer, which a body may repeat. */
	status?: number;
}

/**
 * Replaces what an answer says by something of the same kind and form: its JSON and its headers.
 * The names of fields stay, unless they are data themselves.
 */
export class Anonymizer extends TextAnonymizer {
	/** Names that were replaced because they are keys of a map. */
	private readonly names = new Map<string, string>();
	/** Names that an API document gives to fields, so that they are not keys of a map. */
	private readonly declared = new Set<string>();

	/** Notes the fields of the schemas in an API document. */
	learnDocument(document: unknown, group = ''): void {
		if (Array.isArray(document)) for (const one of document) this.learnDocument(one);
		if (!isJsonObject(document)) return;
		for (const [name, value] of Object.entries(document)) {
			if (group === 'properties') this.declared.add(name);
			// What it shows by way of example declares nothing.
			const isData = group !== 'properties' && (DATA_OF_DOCUMENT.test(name) || name === 'examples');
			if (!isData) this.learnDocument(value, group === 'properties' ? '' : name);
		}
	}

	/** Notes how many records a page of the list has. */
	learnPage(records: number): void {
		this.counts.learn(records);
	}

	/** A name as the answers have it that were shown before. */
	shownName(name: string): string {
		return this.names.get(name) ?? this.fieldName(name);
	}

	/** A value of JSON, with everything in it. */
	value(value: unknown, place: Place = {}, name = ''): unknown {
		// Without a country code, a number may look like a time.
		if (isNumberName(name) && /^\d+$/.test(String(value))) this.digits.of(String(value));
		if (typeof value === 'string') return this.textOf(value, place, name);
		if (typeof value === 'number') return this.number(value, place, name);
		if (Array.isArray(value)) {
			const inside = { ...place, hasCounts: false };
			return value.map((one: unknown) => this.value(one, inside, name));
		}
		return isJsonObject(value) ? this.object(value, place, name) : value;
	}

	header(name: string, value: string): string {
		if (this.holdsSecret(value)) return this.byRules(value, this.rules);
		if (name === 'location' && !URL_TEXT.test(value)) return this.path(value);
		if (harmless.isMediaType(value)) return value;
		if (harmless.isHarmlessNumber(name, value)) return value;
		if (!harmless.isProtocolHeader(name)) return this.text(value);
		const parts = value.split(/(<[^<>]*>|[\w*'-]+)/);
		return parts.map((part) => this.headerPart(name, part)).join('');
	}

	private headerPart(name: string, part: string): string {
		if (harmless.isHeaderWord(part) || harmless.isHarmlessNumber(name, part)) return part;
		const [, address] = /^<(.*)>$/s.exec(part) ?? [];
		if (address === undefined) return this.byRules(part, this.rules);
		return `<${URL_TEXT.test(address) ? this.url(address) : this.path(address)}>`;
	}

	private textOf(text: string, place: Place, name: string): string {
		if (place.hasCounts && isCount(name, text) && !this.holdsSecret(text)) return text;
		if (place.isDocument && this.isOfDocument(text, name, place)) return text;
		return this.text(text);
	}

	/** In an OpenAPI document: types, references, versions, and names of fields. */
	private isOfDocument(text: string, name: string, { isParameter }: Place): boolean {
		if (this.holdsSecret(text)) return false;
		if (harmless.isSchemaValue(text)) return true;
		if (name === '$ref')
			return text.startsWith('#/') && !text.slice(2).split('/').some(looksLikeData);
		if (['openapi', 'swagger'].includes(name)) return /^\d(?:\.\d+){1,2}$/.test(text);
		// Contacts, tags and licenses have a name too.
		const isName = name === 'name' ? isParameter : ['required', 'operationId'].includes(name);
		return isName === true && !looksLikeData(text);
	}

	private number(value: number, { hasCounts, status }: Place, name: string): number {
		if (this.holdsSecret(String(value))) return this.otherNumber(value);
		if (Math.abs(value) <= 1 && Number.isInteger(value)) return value;
		if (value === status || (hasCounts && isCount(name, String(value)))) return value;
		if (hasCounts && this.counts.has(value)) return value;
		if (this.digits.has(String(value))) return this.otherNumber(value);
		return this.times.epoch(value) ?? this.otherNumber(value);
	}

	private otherNumber(value: number): number {
		const [, sign = '', whole, fraction = ''] = /^(-?)(\d+)((?:\.\d+)?)$/.exec(String(value)) ?? [];
		if (whole === undefined) return 0;
		// With a zero at its end, a fraction would become shorter, or nothing.
		const decimals = fraction && this.digits.of(fraction.slice(1)).replace(/0$/, '5');
		return Number(`${sign}${this.digits.of(whole)}${fraction && `.${decimals}`}`);
	}

	private object(object: JsonObject, place: Place, group: string): JsonObject {
		const isMap = !place.isDocument && !place.isExample && isMapOfData(object);
		const hasNames = GROUPS_OF_DOCUMENT.includes(group);
		const isParameter = typeof object.in === 'string';
		const entries = Object.entries(object).map(([name, value]) => {
			const isList = name === 'examples' && Array.isArray(value);
			const isData = !hasNames && (isList || DATA_OF_DOCUMENT.test(name));
			const inside = place.isDocument
				? { ...place, isDocument: !isData, isExample: isData, isParameter }
				: place;
			const isPath = inside.isDocument && isPathOfApi(name);
			if (isPath) return [name, this.value(value, inside, name)] as const;
			const isKey = isMap && !isKnownName(name) && !this.declared.has(name);
			const shown = isKey ? this.byRules(name, this.rules) : this.fieldName(name);
			if (isKey) this.names.set(name, shown);
			return [shown, this.value(value, inside, name)] as const;
		});
		return Object.fromEntries(entries);
	}
}

/** Whether it is a path of an API with names only, such as `/api/calls/{id}`. */
function isPathOfApi(name: string): boolean {
	const segments = name.replace(/[{}]/g, '').split('/').slice(1);
	return name.startsWith('/') && !segments.some(looksLikeData);
}

/**
 * Whether an object has values by something that is data: all of them are objects of the same form,
 * or addresses of people.
 */
function isMapOfData(object: JsonObject): boolean {
	const values = Object.values(object);
	if (values.length < 2) return false;
	if (values.every((value) => typeof value === 'string' && PERSONAL.test(value))) return true;
	if (!values.every(isJsonObject)) return false;
	const forms = new Set(values.map((value) => Object.keys(value).sort().join()));
	return forms.size === 1;
}
