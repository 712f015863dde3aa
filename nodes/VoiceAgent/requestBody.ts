import { type IDataObject, type ResourceMapperField, validateFieldType } from 'n8n-workflow';

import { enteredObject } from '../data/json';
import { invalid } from '../errors';
import type { Field, ValueOf } from '../fields/field';

/**
 * The requests of "make call" and "send SMS". The service specification does not show their fields,
 * so the user names them.
 */

/** The number to call, under the usual name. */
export const NUMBER_FIELD = 'to';

export const namedFields = {
	displayName: 'Fields',
	name: 'fields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Field' },
	default: { field: [{ name: NUMBER_FIELD, value: '' }] },
	placeholder: 'Add Field',
	description:
		"The fields to send. The service's Swagger UI lists their names and meanings. Values are sent as text. For a number, true or false, use an expression.",
	options: [
		{
			displayName: 'Field',
			name: 'field',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. to',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. +15550100',
				},
			],
		},
	],
} as const satisfies Field;

export const jsonBody = {
	displayName: 'JSON',
	name: 'jsonBody',
	type: 'json',
	// No number: nobody is called by a default.
	default: '{\n  "to": ""\n}',
	description: "The request as a JSON object. The service's Swagger UI lists its fields.",
} as const satisfies Field;

/**
 * The request body from the fields that the user has named.
 *
 * @throws VoiceAgentError `invalidParameter`, naming the parameter
 */
export function namedBody({ field: fields = [] }: ValueOf<typeof namedFields>): IDataObject {
	if (fields.length === 0) throw invalid("'Fields' is empty: add at least one field");
	return namedValues(fields, 'Fields');
}

/**
 * The request body from the number to call and the fields beside it.
 *
 * @param numberField name under which the service takes the number
 *
 * @throws VoiceAgentError `invalidParameter`, naming the parameter
 */
export function numberBody(
	to: string,
	numberField: string,
	{ field: fields = [] }: ValueOf<typeof namedFields>,
): IDataObject {
	if (isBlank(to)) throw invalid("'To' is empty: enter the number to call, as + and all digits");
	const others = namedValues(fields, 'More Fields');
	const again = Object.keys(others).find((name) => isSameName(name, numberField));
	if (again === undefined) return { [numberField]: to, ...others };
	throw invalid(`'More Fields' has the field '${again}', in which 'To' is sent`);
}

/**
 * The request body from JSON, as text or parsed.
 *
 * @throws VoiceAgentError `invalidParameter`
 */
export function parsedBody(value: unknown): IDataObject {
	const body = enteredObject(value, 'JSON');
	// A field without a value is not sent.
	const isEmpty = Object.values(body).every((one) => one === undefined);
	if (isEmpty) throw invalid("'JSON' is an empty object");
	return body as IDataObject;
}

/**
 * Refuses a request in which nobody is named: with an empty number, or with empty fields only.
 *
 * @param numberField name of the field with the number; the service may call it by another one
 *
 * @throws VoiceAgentError `invalidParameter`, naming the field
 */
export function requireSomebodyToCall(body: IDataObject, numberField: string): void {
	for (const [name, value] of Object.entries(body)) {
		if (isSameName(name, numberField) && isBlank(value)) {
			throw invalid(`the number to call is empty: enter it in the field '${name}'`);
		}
	}
	if (Object.values(body).every(isBlank)) {
		throw invalid('all fields of the call are empty: enter the number to call');
	}
}

/** The values by name. A value keeps the type that an expression gives it. */
function namedValues(
	fields: ReadonlyArray<{ name: unknown; value: unknown }>,
	parameter: string,
): IDataObject {
	const names = fields.map(({ name }) => String(name ?? '').trim());
	if (names.includes('')) throw invalid(`a field in '${parameter}' has no name`);
	const repeated = names.find((name, index) => names.indexOf(name) !== index);
	if (repeated !== undefined) throw invalid(`'${parameter}' has more than one field '${repeated}'`);
	const values = new Map<string, unknown>();
	for (const [index, name] of names.entries()) {
		const value = fields[index]?.value;
		// JSON would leave it out.
		if (value === undefined) throw invalid(`the field '${name}' in '${parameter}' has no value`);
		values.set(name, value);
	}
	return Object.fromEntries(values) as IDataObject;
}

/** The service may ignore letter case. */
function isSameName(one: string, other: string): boolean {
	return one.toLowerCase() === other.toLowerCase();
}

/** Whether a value is nothing, text without a character, or a list of such values. */
function isBlank(value: unknown): boolean {
	return String(value ?? '').trim() === '';
}

/** The values of a form, and its fields when it was filled in. */
export interface ServiceFields {
	/** By name. A field that was left empty is null. */
	value?: Record<string, unknown> | null;
	schema?: ResourceMapperField[];
}

/**
 * The request body from the form of the service, without the fields that were left empty.
 *
 * @throws VoiceAgentError `invalidParameter`, naming the field
 */
export function formBody({ value: values, schema }: ServiceFields = {}): IDataObject {
	const filled = new Map<string, unknown>();
	for (const [name, value] of Object.entries(values ?? {})) {
		if (value === null || value === undefined || value === '') continue;
		const field = schema?.find(({ id }) => id === name);
		filled.set(name, field ? inTypeOf(field, value) : value);
	}
	if (filled.size === 0) throw invalid('all fields of the call are empty');
	return Object.fromEntries(filled) as IDataObject;
}

/**
 * A value in the type of its field: the editor keeps lists and objects as text, and an expression
 * may yield a number as text.
 */
function inTypeOf(field: ResourceMapperField, value: unknown): unknown {
	const { id: name, type } = field;
	if (type === 'options') return chosenOf(field, value);
	// Times are sent as entered.
	if (type === undefined || type === 'dateTime') return value;
	// n8n takes blank text for the number 0.
	const isNothing = type !== 'string' && String(value).trim() === '';
	const result = validateFieldType(name, value, type, { parseStrings: true });
	if (result.valid && !isNothing) return result.newValue;
	throw invalid(`'${name}' must be ${type === 'array' ? 'a list' : `of type ${type}`}`);
}

/** The choice that a value stands for, in the type that the service wants. */
function chosenOf({ id: name, options = [] }: ResourceMapperField, value: unknown): unknown {
	const chosen = options.find((option) => String(option.value) === String(value));
	if (chosen) return chosen.value;
	throw invalid(`'${name}' must be one of: ${options.map((one) => one.value).join(', ')}`);
}
