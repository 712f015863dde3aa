import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ServiceError, StartError } from './errors.mts';

export interface Invalid {
	/** Names of the fields, such as `metadata.plan`. */
	fields: string[];
	reason: string;
}

/**
 * Says what is wrong with a value; undefined if it is valid. Values never appear in the result,
 * because they can be secrets.
 *
 * @param prefix path of the value, for the names of the fields
 * @param label what to call the value as a whole
 */
export function findInvalid(
	schema: TSchema,
	value: unknown,
	{ prefix = '', label = '' } = {},
): Invalid | undefined {
	if (Value.Check(schema, value)) return undefined;
	const found = Value.Errors(schema, value).flatMap(
		({ keyword, instancePath, params, message }) => {
			const path = [prefix, ...instancePath.split('/').slice(1)].filter(Boolean);
			const named = (names: unknown, reason: string) =>
				(Array.isArray(names) ? names : []).map((name) => ({
					field: [...path, String(name)].join('.'),
					reason,
				}));
			// An unknown field is reported twice, the second time by this keyword.
			if (keyword === 'boolean') return [];
			if (keyword === 'additionalProperties') {
				return named(Reflect.get(params, 'additionalProperties'), 'is an unknown field');
			}
			if (keyword === 'required')
				return named(Reflect.get(params, 'requiredProperties'), 'is missing');
			const allowed: unknown = Reflect.get(params, 'allowedValues');
			const choices = Array.isArray(allowed) ? ` (${allowed.join(', ')})` : '';
			return [{ field: path.join('.'), reason: `${message}${choices}` }];
		},
	);
	const reasons = found.map(({ field, reason }) => `${field || label} ${reason}`.trim());
	return {
		fields: [...new Set(found.map(({ field }) => field).filter(Boolean))],
		reason: [...new Set(reasons)].join('; ') || 'it is not as described',
	};
}

/**
 * @param label what to call the value as a whole
 * @throws ServiceError 400 that names the fields
 */
export function requireValid(schema: TSchema, value: unknown, label?: string): void {
	const invalid = findInvalid(schema, value, { ...(label !== undefined && { label }) });
	if (invalid) throw new ServiceError(400, 'invalid_request', invalid.reason, invalid.fields);
}

/**
 * Runs a check of a start option.
 *
 * @throws StartError that names the option and says what is wrong with it
 */
export function asStartOption(name: string, check: () => void): void {
	try {
		check();
	} catch (error) {
		throw asStartError(name, error);
	}
}

/** The error for an option that was refused. */
export function asStartError(name: string, error: unknown): unknown {
	return error instanceof ServiceError ? new StartError(`${name}: ${error.message}`) : error;
}

/** Deeper JSON could overflow the stack of the code that serializes it. */
export const MAX_DEPTH = 32;

/** Whether objects and arrays are nested deeper than `depth` levels. */
export function isDeeperThan(value: unknown, depth = MAX_DEPTH): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
