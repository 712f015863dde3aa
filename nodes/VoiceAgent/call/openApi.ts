import type { JsonObject } from '../../service/payload';
import { isJsonObject } from '../../service/payload';

/** A field of a request, as the API document of the service describes it. */
export interface SchemaField {
	name: string;
	type: 'string' | 'number' | 'boolean' | 'array' | 'object' | 'dateTime' | 'options';
	required: boolean;
	description: string;
	/** Allowed values of type `options`. */
	choices: string[];
}

/** A `$ref` may lead to another one, and in a broken document in a circle. */
const MAX_DEPTH = 20;

/**
 * The fields of a JSON request body in an OpenAPI 3 or Swagger 2 document, in the order of the document.
 *
 * @param path end of the path, in any letter case; the document may put a base path before it
 * @returns `undefined` if the document does not describe such a request
 */
export function requestFields(
	document: unknown,
	method: string,
	path: string,
): SchemaField[] | undefined {
	if (!isJsonObject(document) || !isJsonObject(document.paths)) return undefined;
	const wanted = path.toLowerCase();
	const [, item] =
		Object.entries(document.paths).find(([key]) =>
			key.toLowerCase().replace(/\/+$/, '').endsWith(wanted),
		) ?? [];
	const operation = isJsonObject(item) ? item[method.toLowerCase()] : undefined;
	const schema = isJsonObject(operation) ? bodySchema(document, operation) : undefined;
	if (!schema) return undefined;
	const { properties, required } = collectProperties(document, schema);
	return [...properties].map(([name, property]) =>
		fieldOf(name, resolveProperty(document, property), required.has(name)),
	);
}

function bodySchema(document: JsonObject, operation: JsonObject): unknown {
	const body = resolve(document, operation.requestBody);
	if (isJsonObject(body) && isJsonObject(body.content)) {
		const [, media] = Object.entries(body.content).find(([type]) => /[/+]json\b/i.test(type)) ?? [];
		return isJsonObject(media) ? media.schema : undefined;
	}
	const parameters = Array.isArray(operation.parameters) ? (operation.parameters as unknown[]) : [];
	const bodyParameter = parameters
		.map((parameter) => resolve(document, parameter))
		.find((parameter) => isJsonObject(parameter) && parameter.in === 'body');
	return isJsonObject(bodyParameter) ? bodyParameter.schema : undefined;
}

/** Properties and required names of an object schema, including those of `allOf`. */
function collectProperties(document: JsonObject, schema: unknown, depth = 0) {
	const properties = new Map<string, unknown>();
	const required = new Set<string>();
	const resolved = resolve(document, schema);
	if (!isJsonObject(resolved) || depth > MAX_DEPTH) return { properties, required };
	for (const part of Array.isArray(resolved.allOf) ? (resolved.allOf as unknown[]) : []) {
		const inner = collectProperties(document, part, depth + 1);
		for (const [name, property] of inner.properties) properties.set(name, property);
		for (const name of inner.required) required.add(name);
	}
	for (const [name, property] of Object.entries(resolved.properties ?? {})) {
		properties.set(name, property);
	}
	for (const name of Array.isArray(resolved.required) ? (resolved.required as unknown[]) : []) {
		if (typeof name === 'string') required.add(name);
	}
	return { properties, required };
}

/** A property without references. Of several alternatives, it takes the first one that is not null. */
function resolveProperty(document: JsonObject, property: unknown): JsonObject {
	const resolved = resolve(document, property);
	if (!isJsonObject(resolved)) return {};
	const alternatives = [resolved.oneOf, resolved.anyOf, resolved.allOf].find(Array.isArray);
	const [first] = ((alternatives ?? []) as unknown[])
		.map((one) => resolve(document, one))
		.filter((one): one is JsonObject => isJsonObject(one) && one.type !== 'null');
	return { ...first, ...resolved };
}

function fieldOf(name: string, property: JsonObject, required: boolean): SchemaField {
	const choices = (Array.isArray(property.enum) ? (property.enum as unknown[]) : [])
		.filter((choice) => choice !== null)
		.map(String);
	const description = typeof property.description === 'string' ? property.description : '';
	return {
		name,
		type: choices.length > 0 ? 'options' : typeOf(property),
		required: required && property.readOnly !== true,
		description,
		choices,
	};
}

function typeOf({ type, format }: JsonObject): SchemaField['type'] {
	const name = Array.isArray(type) ? (type as unknown[]).find((one) => one !== 'null') : type;
	switch (name) {
		case 'integer':
		case 'number':
			return 'number';
		case 'boolean':
		case 'array':
		case 'object':
			return name;
		default:
			return format === 'date-time' ? 'dateTime' : 'string';
	}
}

/** What a local reference (`#/components/schemas/Call`) points to. Other values are returned as they are. */
function resolve(document: JsonObject, value: unknown): unknown {
	let current = value;
	for (let depth = 0; isJsonObject(current) && typeof current.$ref === 'string'; depth++) {
		if (depth > MAX_DEPTH || !current.$ref.startsWith('#/')) return undefined;
		current = current.$ref
			.slice(2)
			.split('/')
			.map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
			.reduce<unknown>(
				(parent, part) =>
					isJsonObject(parent) && Object.hasOwn(parent, part) ? parent[part] : undefined,
				document,
			);
	}
	return current;
}
