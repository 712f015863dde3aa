import type { IDataObject, ResourceMapperField } from 'n8n-workflow';
import { validateFieldType } from 'n8n-workflow';

import { invalid } from '../errors';
import type { Field } from '../fields/field';
import { enteredObject } from '../data/writeJson';

// The service specification does not show the request fields of "make call" and "send SMS", so the user names them.

/** The number to call, under the usual name. */
const NUMBER_FIELD = 'to';

/** Fields by name and value. */
export const fieldsBelow = {
	displayName: 'Fields',
	name: 'fields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Field' },
	default: { field: [{ name: NUMBER_FIELD, value: '' }] },
	placeholder: 'Add Field',
	description:
		"The fields to send. The service's Swagger UI lists their names and meanings. Values are sent as text. For a number, true or false, use an expression.",
	displayOptions: { show: { specifyBody: ['fields'] } },
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
					// The value keeps the type that an expression gives it.
					ignoreValidationDuringExecution: true,
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
	displayOptions: { show: { specifyBody: ['json'] } },
	description: "The request as a JSON object. The service's Swagger UI lists its fields.",
} as const satisfies Field;

/**
 * The request body from the parameters.
 * @throws VoiceAgentError `invalidParameter`, naming the parameter
 */
export function requestBody(values: {
	specifyBody: 'service' | 'fields' | 'json';
	serviceFields?: ServiceFields;
	fields: { field?: Array<{ name: string; value: unknown }> };
	jsonBody: unknown;
}): IDataObject {
	switch (values.specifyBody) {
		case 'service':
			return filledFields(values.serviceFields);
		case 'fields':
			return collectFields(values.fields.field ?? []);
		case 'json':
			return parseObject(values.jsonBody);
	}
}

interface ServiceFields {
	value?: Record<string, unknown> | null;
	/** The fields of the form when it was filled in. */
	schema?: ResourceMapperField[];
}

/** In the form of the editor, an empty field is null. */
function filledFields({ value: values, schema = [] }: ServiceFields = {}): IDataObject {
	const filled = Object.entries(values ?? {}).filter(
		([, value]) => value !== null && value !== undefined && value !== '',
	);
	if (filled.length === 0) throw invalid('all fields of the call are empty');
	return Object.fromEntries(
		filled.map(([name, value]) => [name, inTypeOf(schema, name, value)]),
	) as IDataObject;
}

/** The editor keeps lists and objects as text, and an expression may yield a number as text. */
function inTypeOf(schema: ResourceMapperField[], name: string, value: unknown): unknown {
	const { type, options = [] } = schema.find(({ id }) => id === name) ?? {};
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

function collectFields(fields: Array<{ name: string; value: unknown }>): IDataObject {
	if (fields.length === 0) throw invalid("'Fields' is empty: add at least one field");
	const names = fields.map(({ name }) => name.trim());
	if (names.includes('')) throw invalid("a field in 'Fields' has no name");
	const seen = new Set<string>();
	const twice = names.find((name) => seen.size === seen.add(name).size);
	if (twice !== undefined) throw invalid(`'Fields' has more than one field '${twice}'`);
	// JSON would leave such a field out.
	const empty = fields.findIndex(({ value }) => value === undefined);
	if (empty >= 0) throw invalid(`the field '${names[empty]}' in 'Fields' has no value`);
	return Object.fromEntries(fields.map(({ value }, index) => [names[index], value])) as IDataObject;
}

function parseObject(value: unknown): IDataObject {
	const parsed = enteredObject(value, 'JSON');
	if (Object.values(parsed).every((one) => one === undefined)) {
		throw invalid("'JSON' is an empty object");
	}
	return parsed as IDataObject;
}
