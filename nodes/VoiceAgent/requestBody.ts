import { type IDataObject, type ResourceMapperField, validateFieldType } from 'n8n-workflow';

import { invalid } from '../errors';
import type { Field, ValueOf } from '../fields/field';
import { enteredObject } from '../data/json';

// The service specification does not show the request fields of "make call" and "send SMS", so the
// user names them.

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
export function namedBody({ field = [] }: ValueOf<typeof namedFields>): IDataObject {
	if (field.length === 0) throw invalid("'Fields' is empty: add at least one field");
	return namedValues(field, 'Fields');
}

/**
 * The request body from the number to call and the fields beside it.
 *
 * @param numberField name under which the service takes the number
 * @throws VoiceAgentError `invalidParameter`, naming the parameter
 */
export function numberBody(
	to: string,
	numberField: string,
	{ field = [] }: ValueOf<typeof namedFields>,
): IDataObject {
	if (isBlank(to)) throw invalid("'To' is empty: enter the number to call, as + and all digits");
	const others = namedValues(field, 'More Fields');
	const isNumber = (name: string) => name.toLowerCase() === numberField.toLowerCase();
	const again = Object.keys(others).find(isNumber);
	if (again === undefined) return { [numberField]: to, ...others };
	throw invalid(`'More Fields' has the field '${again}', in which 'To' is sent`);
}

/**
 * Refuses a request in which nobody is named: with an empty number, or with empty fields only.
 *
 * @param numberField name of the field with the number; the service may call it by another one
 * @throws VoiceAgentError `invalidParameter`, naming the field
 */
export function assertSomebodyIsCalled(body: IDataObject, numberField: string): void {
	const fields = Object.entries(body);
	const isNumber = (name: string) => name.toLowerCase() === numberField.toLowerCase();
	const empty = fields.find(([name, value]) => isNumber(name) && isBlank(value));
	if (empty) throw invalid(`the number to call is empty: enter it in the field '${empty[0]}'`);
	const isNobody = fields.every(([, value]) => isBlank(value));
	if (isNobody) throw invalid('all fields of the call are empty: enter the number to call');
}

/** The values by name. A value keeps the type that an expression gives it. */
function namedValues(
	field: Array<{ name: unknown; value: unknown }>,
	parameter: string,
): IDataObject {
	const names = field.map(({ name }) => String(name ?? '').trim());
	if (names.includes('')) throw invalid(`a field in '${parameter}' has no name`);
	const repeated = names.find((name, index) => names.indexOf(name) !== index);
	if (repeated !== undefined) throw invalid(`'${parameter}' has more than one field '${repeated}'`);
	// JSON would leave out a field without a value.
	const empty = field.findIndex(({ value }) => value === undefined);
	if (empty !== -1) throw invalid(`the field '${names[empty]}' in '${parameter}' has no value`);
	const values = field.map(({ value }, index) => [names[index], value] as const);
	return Object.fromEntries(values) as IDataObject;
}

/** Whether a value is nothing, text without a character, or a list of such values. */
function isBlank(value: unknown): boolean {
	return String(value ?? '').trim() === '';
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
