import { VoiceAgentError } from '../../errors';
import type { JsonObject } from '../../data/payload';
import { isJsonObject } from '../../data/payload';

type Choice = string | number | boolean;

/** A field of a request, as the API document of the service describes it. */
export interface SchemaField {
	name: string;
	type: 'string' | 'number' | 'boolean' | 'array' | 'object' | 'dateTime' | 'options';
	required: boolean;
	description: string;
	/** Allowed values of type `options`, in the type that the service wants. */
	choices: Choice[];
}

/** Nobody fills in a form with more fields than this. */
const MAX_FIELDS = 500;
const MAX_CHOICES = 1_000;
const MAX_DESCRIPTION = 1_000;
/** How many schemas and references are looked at, for all fields together. It takes milliseconds. */
const MAX_STEPS = 20_000;
const MAX_REFERENCE = 1_000;
/** What is read of the schema of a field. */
const KEYWORDS = ['type', 'format', 'enum', 'const', 'description', 'readOnly'];

/**
 * The fields of a JSON request body in an OpenAPI 3 or Swagger 2 document, in the order of the document.
 *
 * @param path end of the path, in any letter case; the document may put a base path before it
 * @returns `undefined` if the document does not describe such a request
 * @throws VoiceAgentError `callFormTooLarge`
 */
export function requestFields(
	document: unknown,
	method: string,
	path: string,
): SchemaField[] | undefined {
	if (!isJsonObject(document) || !isJsonObject(document.paths)) return undefined;
	const reader = new SchemaReader(document);
	const wanted = path.toLowerCase();
	const key = Object.keys(document.paths).find((one) => {
		const end = one.slice(-wanted.length - 1).toLowerCase();
		return end.endsWith(wanted) || end === `${wanted}/`;
	});
	const item = key === undefined ? undefined : document.paths[key];
	const operations = reader.resolve(item);
	const operation = isJsonObject(operations) ? operations[method.toLowerCase()] : undefined;
	const schema = isJsonObject(operation) ? bodySchema(reader, operation) : undefined;
	return schema === undefined ? undefined : bodyFields(reader, schema);
}

function bodySchema(reader: SchemaReader, operation: JsonObject): unknown {
	const body = reader.resolve(operation.requestBody);
	if (isJsonObject(body) && isJsonObject(body.content)) {
		const [, media] = Object.entries(body.content).find(([type]) => /[/+]json\b/i.test(type)) ?? [];
		return isJsonObject(media) ? media.schema : undefined;
	}
	const bodyParameter = listOf(operation.parameters)
		.map((parameter) => reader.resolve(parameter))
		.find((parameter) => isJsonObject(parameter) && parameter.in === 'body');
	return isJsonObject(bodyParameter) ? bodyParameter.schema : undefined;
}

function bodyFields(reader: SchemaReader, schema: unknown): SchemaField[] {
	const properties = new Map<string, unknown>();
	const required = new Set<unknown>();
	for (const part of reader.partsOf(schema)) {
		for (const name of listOf(part.required)) required.add(name);
		if (!isJsonObject(part.properties)) continue;
		for (const name of Object.keys(part.properties)) {
			properties.set(name, part.properties[name]);
			if (properties.size > MAX_FIELDS) throw tooLarge(`more than ${MAX_FIELDS} fields`);
		}
	}
	return [...properties].map(([name, property]) =>
		fieldOf(name, reader.keywordsOf(property), required.has(name)),
	);
}

/**
 * Follows references in a document, which may lead in circles or fan out: each schema is looked at once, and all steps
 * together are limited.
 */
class SchemaReader {
	private steps = 0;

	constructor(private readonly document: JsonObject) {}

	/** What a local reference (`#/components/schemas/Call`) points to. Other values are returned as they are. */
	resolve(value: unknown): unknown {
		let current = value;
		const seen = new Set<unknown>();
		while (isJsonObject(current) && typeof current.$ref === 'string') {
			if (seen.has(current)) return undefined;
			seen.add(current);
			const names = namesIn(current.$ref);
			this.step(1 + names.length);
			current = names.reduce<unknown>(
				(parent, name) =>
					typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
						? (parent as JsonObject)[name]
						: undefined,
				names.length > 0 ? this.document : undefined,
			);
		}
		return current;
	}

	/**
	 * The schemas that make up one: those of `allOf`, the first of several alternatives that is not null, and last the
	 * schema itself.
	 */
	partsOf(schema: unknown): JsonObject[] {
		const seen = new Set<JsonObject>();
		const waiting = [schema];
		while (waiting.length > 0) {
			const part = this.resolve(waiting.pop());
			if (!isJsonObject(part) || seen.has(part)) continue;
			seen.add(part);
			const all = listOf(part.allOf);
			const alternatives = [...listOf(part.oneOf).slice(0, 9), ...listOf(part.anyOf).slice(0, 9)];
			const others = listOf(part.required).length + listOf(part.enum).length;
			this.step(1 + all.length + alternatives.length + others);
			const first = alternatives
				.map((one) => this.resolve(one))
				.find((one) => isJsonObject(one) && one.type !== 'null');
			for (const one of all) waiting.push(one);
			waiting.push(first);
		}
		return [...seen].reverse();
	}

	/** What is known about a property. What it says itself counts more than what it refers to. */
	keywordsOf(property: unknown): JsonObject {
		const known: JsonObject = {};
		for (const part of this.partsOf(property)) {
			for (const keyword of KEYWORDS) {
				if (Object.hasOwn(part, keyword)) known[keyword] = part[keyword];
			}
		}
		return known;
	}

	private step(count: number): void {
		this.steps += count;
		if (this.steps > MAX_STEPS) throw tooLarge('too many references');
	}
}

/** The names in a JSON pointer (RFC 6901) in a URL fragment; none if it is not one. */
function namesIn(reference: string): string[] {
	if (!reference.startsWith('#/') || reference.length > MAX_REFERENCE) return [];
	try {
		const names = decodeURIComponent(reference.slice(2)).split('/');
		return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
	} catch {
		return [];
	}
}

function fieldOf(name: string, property: JsonObject, required: boolean): SchemaField {
	const type = typeOf(property);
	const choices = choicesOf(property, type);
	const description = typeof property.description === 'string' ? property.description : '';
	return {
		name,
		type: choices.length > 0 ? 'options' : type,
		required: required && property.readOnly !== true,
		description: description.slice(0, MAX_DESCRIPTION),
		choices,
	};
}

/** None if there are too many for a menu, or values that a menu cannot hold. */
function choicesOf(property: JsonObject, type: SchemaField['type']): Choice[] {
	const values = 'const' in property ? [property.const] : listOf(property.enum);
	if (values.length > MAX_CHOICES) return [];
	const choices = values.filter((value) => value !== null);
	if (!choices.every(isChoice)) return [];
	const hasOneType = typesOf(property).length === 1;
	return [...new Set(hasOneType ? choices.map((choice) => inType(choice, type)) : choices)];
}

function isChoice(value: unknown): value is Choice {
	return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Some documents list their numbers as text. */
function inType(choice: Choice, type: SchemaField['type']): Choice {
	const text = String(choice);
	if (type === 'string') return text;
	if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
	if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
	return choice;
}

function typeOf(property: JsonObject): SchemaField['type'] {
	const [name, ...others] = typesOf(property);
	switch (others.length === 0 && name) {
		case 'integer':
		case 'number':
			return 'number';
		case 'boolean':
		case 'array':
		case 'object':
			return name as SchemaField['type'];
		default:
			return property.format === 'date-time' ? 'dateTime' : 'string';
	}
}

/** OpenAPI 3.1 has lists of types, such as one with `null`. */
function typesOf({ type }: JsonObject): unknown[] {
	return [type].flat().filter((one) => one !== 'null' && one !== undefined);
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? (value as unknown[]) : [];
}

function tooLarge(detail: string): VoiceAgentError {
	return new VoiceAgentError('callFormTooLarge', { detail });
}
