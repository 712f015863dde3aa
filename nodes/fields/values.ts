import { type INodeParameters, type INodeProperties, NodeHelpers } from 'n8n-workflow';

import { isJsonObject } from '../data/json';
import { invalid } from '../errors';
import type { Field, ValuesOf } from './field';

/** What is entered for each field. Expressions can yield anything. */
export function enteredValues(
	fields: readonly Field[],
	read: (field: Field) => unknown,
): Record<string, unknown> {
	return Object.fromEntries(fields.map((field) => [field.name, read(field)]));
}

/**
 * The values of all fields. Only the fields that n8n shows for these values are checked. A hidden
 * one does not matter, so it stays as it is.
 *
 * @throws VoiceAgentError `invalidParameter`, see {@link checkedValue}
 */
export function checkedValues<const Fields extends readonly Field[]>(
	fields: Fields,
	values: Readonly<Record<string, unknown>>,
): ValuesOf<Fields> {
	const checked = { ...values };
	const entered = values as INodeParameters;
	for (const field of fields) {
		const isShown = NodeHelpers.displayParameter(entered, field as INodeProperties, null, null);
		if (isShown) checked[field.name] = checkedValue(field, values[field.name]);
	}
	return checked as ValuesOf<Fields>;
}

/**
 * The value of a field, checked against its definition, because expressions can yield anything:
 * its type, its options, its smallest and largest number, and the same for the members of a
 * collection. A number may be given as text, and text as a number. A member may be left out, but
 * `undefined` is not a value.
 *
 * Not checked are types that have readers of their own (JSON, named fields, resource locator,
 * resource mapper), and fields with `ignoreValidationDuringExecution`.
 *
 * @throws VoiceAgentError `invalidParameter`, with the name of the field and what to enter
 */
export function checkedValue(field: Field, value: unknown): unknown {
	const name = `'${field.displayName}'`;
	if (field.ignoreValidationDuringExecution) return value;
	switch (field.type) {
		case 'string':
			if (typeof value === 'string') return value;
			if (Number.isFinite(value)) return String(value);
			throw invalid(`${name} must be text`);
		case 'number':
			return checkedNumber(field.typeOptions ?? {}, value, name);
		case 'boolean':
			// Not by truthiness: the text 'false' would be true.
			if (typeof value === 'boolean') return value;
			throw invalid(`${name} must be true or false`);
		case 'options': {
			const choices: unknown[] = [];
			for (const option of field.options ?? []) {
				if ('value' in option) choices.push(option.value);
			}
			if (choices.includes(value)) return value;
			throw invalid(`${name} must be one of: ${choices.join(', ')}`);
		}
		case 'collection':
			return checkedMembers((field.options ?? []) as readonly Field[], value, name);
		default:
			return value;
	}
}

function checkedNumber(
	{ minValue, maxValue, numberPrecision }: NonNullable<Field['typeOptions']>,
	value: unknown,
	name: string,
): number {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = isText ? Number(value) : value;
	const isWhole = numberPrecision === 0;
	const isOfKind = isWhole ? Number.isInteger(number) : Number.isFinite(number);
	if (
		typeof number === 'number' &&
		isOfKind &&
		number >= (minValue ?? -Infinity) &&
		number <= (maxValue ?? Infinity)
	) {
		return number;
	}
	throw invalid(
		`${name} must be a ${isWhole ? 'whole ' : ''}number${rangeText(minValue, maxValue)}`,
	);
}

function rangeText(minValue: number | undefined, maxValue: number | undefined): string {
	if (minValue !== undefined && maxValue !== undefined) return ` from ${minValue} to ${maxValue}`;
	if (minValue !== undefined) return ` of ${minValue} or more`;
	if (maxValue !== undefined) return ` of ${maxValue} or less`;
	return '';
}

/**
 * An object with its members checked. A member that is not known stays as it is: an earlier version
 * of the node may have had it.
 */
function checkedMembers(members: readonly Field[], values: unknown, name: string): object {
	if (!isJsonObject(values)) throw invalid(`${name} must be an object`);
	const given = members.filter((member) => member.name in values);
	const checked = given.map((member) => [member.name, checkedValue(member, values[member.name])]);
	return { ...values, ...Object.fromEntries(checked) };
}
