import type {
	FieldType,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { withoutSecrets } from '../../data/hidePasswords';
import { isJsonObject, type JsonObject } from '../../data/json';
import { VoiceAgentError } from '../../errors';
import { request } from '../../service/http/request';
import { serviceAccess } from '../../service/http/transport';
import { shownFailureIn } from '../../service/secretInError';
import { MAKE_CALL_PATH } from './make.operation';

/** References may lead in circles, which this ends. */
const MAX_DEPTH = 32;
/** References may also fan out: each schema may name several others. */
const MAX_STEPS = 5_000;

/**
 * The form for a call, read from the service's OpenAPI document. If the document cannot be read,
 * the editor shows why, and the other ways to enter the details.
 */
export async function getCallFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		return { fields: requestFields(await readApiDocument(this), MAKE_CALL_PATH) };
	} catch (error) {
		const shown = (await shownFailureIn(this, error)) as Error;
		const notice = `${shown.message}. Choose 'Using Fields Below' or 'Using JSON' instead.`;
		return { fields: [], emptyFieldsNotice: notice };
	}
}

/** @throws VoiceAgentError `noCallFields`, or why the service cannot be asked */
async function readApiDocument(context: ILoadOptionsFunctions): Promise<unknown> {
	const nowhere = unreadable(
		"'API Document Path' in the VoiceAgent API credential does not lead to it",
	);
	const { documentPath } = await serviceAccess(context);
	if (documentPath === undefined) throw nowhere;
	const { json, secrets } = await request(context, 'GET', documentPath).catch(
		(error: VoiceAgentError) => {
			// The service answers, but has no document at this path.
			const isElsewhere = error.reason === 'notFound' || error.reason === 'webPage';
			throw isElsewhere ? nowhere : error;
		},
	);
	return withoutSecrets(json, secrets);
}

/**
 * The form for the JSON body of a POST request in an OpenAPI 3 or Swagger 2 document, with the
 * fields in the order of the document.
 *
 * @param path end of the path, in any letter case; the document may put a base path before it
 *
 * @throws VoiceAgentError `noCallFields`, saying what cannot be read
 */
export function requestFields(document: unknown, path: string): ResourceMapperField[] {
	const reader = new SchemaReader(document);
	const paths = objectOf(objectOf(document).paths);
	const isWanted = (name: string) =>
		name.toLowerCase().replace(/\/$/, '').endsWith(path.toLowerCase());
	const name = Object.keys(paths).find(isWanted);
	const item = name === undefined ? {} : reader.resolve(paths[name]);
	const schema = bodySchema(reader, objectOf(item.post));
	const { properties, required } = reader.read(schema);
	const fields = Object.entries(objectOf(properties));
	if (fields.length === 0) throw unreadable(`it shows no fields for POST ${path}`);
	return fields.map(([field, property]) =>
		fieldOf(field, reader.read(property), listOf(required).includes(field)),
	);
}

/** The schema of a JSON body: `requestBody` in OpenAPI 3, a parameter in `body` in Swagger 2. */
function bodySchema(reader: SchemaReader, operation: JsonObject): unknown {
	const content = objectOf(reader.resolve(operation.requestBody).content);
	const type = Object.keys(content).find((one) => /[/+]json\b/i.test(one));
	if (type !== undefined) return objectOf(content[type]).schema;
	const parameters = listOf(operation.parameters).map((one) => reader.resolve(one));
	return parameters.find((parameter) => parameter.in === 'body')?.schema;
}

/** Reads schemas of one document, with the parts that they refer to. */
class SchemaReader {
	/** How many references were followed, over all schemas. */
	private steps = 0;

	constructor(private readonly document: unknown) {}

	/**
	 * A schema together with the parts that make it up: those of `allOf`, and the first alternative
	 * of `oneOf` or `anyOf` that is not null. What the schema says itself counts most.
	 */
	read(schema: unknown, depth = 0): JsonObject {
		const own = this.resolve(schema, depth);
		const alternatives = [...listOf(own.oneOf), ...listOf(own.anyOf)];
		const chosen = alternatives.find((one) => this.resolve(one, depth).type !== 'null');
		const parts = [...listOf(own.allOf), chosen].filter((part) => part !== undefined);
		const all = [...parts.map((part) => this.read(part, depth + 1)), own];
		return {
			...joined(all),
			properties: joined(all.map(({ properties }) => objectOf(properties))),
			required: all.flatMap(({ required }) => listOf(required)),
		};
	}

	/**
	 * The object itself, or the one that a reference such as `#/components/schemas/Call` leads to.
	 */
	resolve(value: unknown, depth = 0): JsonObject {
		this.steps += 1;
		if (depth > MAX_DEPTH || this.steps > MAX_STEPS) throw unreadable('its references go too deep');
		const { $ref: reference } = objectOf(value);
		if (typeof reference !== 'string') return objectOf(value);
		return this.resolve(valueAt(this.document, reference), depth + 1);
	}
}

/**
 * The value that a reference within the document leads to: a JSON pointer (RFC 6901, section 6) as
 * the fragment of a URL.
 */
function valueAt(document: unknown, reference: string): unknown {
	const nowhere = unreadable(`its reference '${reference.slice(0, 100)}' leads nowhere`);
	if (!reference.startsWith('#/')) throw nowhere;
	let value = document;
	for (const part of decodeURIComponent(reference.slice(2)).split('/')) {
		const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) throw nowhere;
		value = (value as JsonObject)[name];
	}
	return value;
}

function fieldOf(name: string, property: JsonObject, isRequired: boolean): ResourceMapperField {
	const { description, readOnly } = property;
	const options = choicesOf(property);
	const isMenu = options.length > 0;
	const label = String(description ?? '');
	// n8n cuts a longer one.
	const isShort = /^.{1,30}$/.test(label);
	return {
		id: name,
		displayName: isShort ? `${name}: ${label}` : name,
		type: isMenu ? 'options' : typeOf(property),
		required: isRequired && readOnly !== true,
		display: true,
		defaultMatch: false,
		...(isMenu && { options }),
	};
}

/**
 * The values that the service allows, in its type. None if it allows any, or one that a menu cannot
 * hold.
 */
function choicesOf(property: JsonObject): INodePropertyOptions[] {
	const values = 'const' in property ? [property.const] : listOf(property.enum);
	const choices = [...new Set(values)].filter((value) => value !== null);
	if (!choices.every(isChoice)) return [];
	return choices.map((value) => ({ name: String(value), value }));
}

function isChoice(value: unknown): value is string | number | boolean {
	return ['string', 'number', 'boolean'].includes(typeof value);
}

function typeOf({ type, format }: JsonObject): FieldType {
	// OpenAPI 3.1 has lists of types, such as one with `null`. n8n has no field for several types.
	const [name, ...others] = [type].flat().filter((one) => one !== 'null');
	if (others.length > 0) return 'string';
	if (name === 'integer' || name === 'number') return 'number';
	if (name === 'boolean' || name === 'array' || name === 'object') return name;
	return format === 'date-time' ? 'dateTime' : 'string';
}

/** One object with the fields of all. If several have a field, the last one counts. */
function joined(objects: JsonObject[]): JsonObject {
	return Object.fromEntries(objects.flatMap((one) => Object.entries(one)));
}

function objectOf(value: unknown): JsonObject {
	return isJsonObject(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? (value as unknown[]) : [];
}

function unreadable(detail: string): VoiceAgentError {
	return new VoiceAgentError('noCallFields', { detail });
}
