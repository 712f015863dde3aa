import { type IDataObject, type ResourceMapperField, validateFieldType } from 'n8n-workflow';

import { invalid } from '../errors';
import type { Field, ValueOf } from '../fields/field';
import { enteredObject } from '../data/json';

// The service specification does not show the request fields of "make call" and "send SMS", so the user names them.

/** The number to call, under the usual name. */
const NUMBER_FIELD = 'to';

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
	default: '{\n  "to": "+15550100"\n}',
	description: "The request as a JSON object. The service's Swagger UI lists its fields.",
} as const satisfies Field;

/**
 * The request body from the fields that the user has named.
 * @throws VoiceAgentError `invalidParameter`, naming the parameter
 */
export function namedBody({ field = [] }: ValueOf<typeof namedFields>): IDataObject {
	if (field.length === 0) throw invalid("'Fields' is empty: add at least one field");
	const names = field.map(({ name }) => String(name ?? '').trim());
	if (names.includes('')) throw invalid("a field in 'Fields' has no name");
	const repeated = names.find((name, index) => names.indexOf(name) !== index);
	if (repeated !== undefined) throw invalid(`'Fields' has more than one field '${repeated}'`);
	// A value keeps the type that an expression gives it. JSON would leave out a field without one.
	const empty = field.findIndex(({ value }) => value === undefined);
	if (empty !== -1) throw invalid(`the field '${names[empty]}' in 'Fields' has no value`);
	return Object.fromEntries(field.map(({ value }, index) => [names[index], value]));
}

export function parsedBody(value: unknown): IDataObject {
	const parsed = enteredObject(value, 'JSON');
	const isEmpty = Object.values(parsed).every((one) => one === undefined);
	if (isEmpty) throw invalid("'JSON' is an empty object");
	return parsed as IDataObject;
}

/** The values of a form, and its fields when it was filled in. */
export interface ServiceFields {
	value?: Record<string, unknown> | null;
	schema?: ResourceMapperField[];
}

/**
 * The request body from the form of the service, in which an empty field is null.
 * @throws VoiceAgentError `invalidParameter`, naming the field
 */
export function formBody({ value: values, schema }: ServiceFields = {}): IDataObject {
	const filled = Object.entries(values ?? {}).filter(([, value]) => (value ?? '') !== '');
	if (filled.length === 0) throw invalid('all fields of the call are empty');
	const body = filled.map(([name, value]) => {
		const field = schema?.find(({ id }) => id === name);
		return [name, field ? inTypeOf(field, value) : value];
	});
	return Object.fromEntries(body) as IDataObject;
}

/** The editor keeps lists and objects as text, and an expression may yield a number as text. */
function inTypeOf({ id: name, type, options = [] }: ResourceMapperField, value: unknown): unknown {
	if (type === 'options') {
		const chosen = options.find((option) => String(option.value) === String(value));
		if (chosen) return chosen.value;
		throw invalid(`'${name}' must be one of: ${options.map((one) => one.value).join(', ')}`);
	}
	// Times are sent as entered.
	if (type === undefined || type === 'dateTime') return value;
	const isBlank = type !== 'string' && String(value).trim() === '';
	const result = validateFieldType(name, value, type, { parseStrings: true });
	if (result.valid && !isBlank) return result.newValue;
	throw invalid(`'${name}' must be ${type === 'array' ? 'a list' : `of type ${type}`}`);
}
