import { createHash, timingSafeEqual } from 'node:crypto';
import { Type } from 'typebox';
import { ServiceError } from '../errors.mts';
import { named, strict, TextEnum } from '../schema.mts';
import { API_KEY_PATTERN, type ApiKey, type Permission, permissions } from './permissions.mts';

/** The accepted keys, which can be exchanged while requests are running. */
export interface Keyring {
	all(): readonly ApiKey[];
	replace(keys: readonly ApiKey[]): void;
}

export function createKeyring(keys: readonly ApiKey[]): Keyring {
	let current = keys;
	return {
		all: () => current,
		replace(others) {
			current = others;
		},
	};
}

/** Service specification, Authentication: the name is case-sensitive and exactly this. */
const HEADER_NAME = 'Token';

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}

function unauthorized(message: string): ServiceError {
	return new ServiceError(401, 'unauthorized', message);
}

/** Makes pairs of Node's flat list of raw headers, as they were sent and in the same order. */
export function headerPairs(rawHeaders: readonly string[]): [string, string][] {
	const pairs: [string, string][] = [];
	for (let index = 0; index < rawHeaders.length; index += 2) {
		pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
	}
	return pairs;
}

/**
 * Finds the API key in the raw headers. Node's parsed headers lose the letter case.
 *
 * @throws ServiceError 401 when the header is missing, misspelled, repeated or holds no known key
 */
function authenticate(rawHeaders: readonly string[], keys: readonly ApiKey[]): ApiKey {
	const pairs = headerPairs(rawHeaders);
	const values = pairs.filter(([name]) => name === HEADER_NAME).map(([, value]) => value);
	const [value] = values;
	if (value === undefined) {
		const misspelled = pairs.find(([name]) => name.toLowerCase() === HEADER_NAME.toLowerCase());
		throw unauthorized(
			misspelled
				? `The header name is case-sensitive: send "${HEADER_NAME}", not "${misspelled[0]}"`
				: `The header "${HEADER_NAME}" with the API key is missing`,
		);
	}
	if (values.length > 1) throw unauthorized(`The header "${HEADER_NAME}" was sent more than once`);
	const given = digest(value);
	const known = keys.find(({ key }) => timingSafeEqual(digest(key), given));
	if (!known) {
		throw unauthorized(
			/^\S+ /.test(value)
				? `The API key in "${HEADER_NAME}" is invalid: send the bare key, without a scheme or spaces`
				: `The API key in "${HEADER_NAME}" is invalid`,
		);
	}
	return known;
}

/** @throws ServiceError 401 as above, 403 when the key is valid but lacks the permission */
export function authorize(
	rawHeaders: readonly string[],
	keys: readonly ApiKey[],
	permission: Permission | undefined,
): void {
	const known = authenticate(rawHeaders, keys);
	if (permission && !known.permissions.includes(permission)) {
		throw new ServiceError(403, 'forbidden', `This API key lacks the permission ${permission}`);
	}
}

export const ApiKeys = named(
	'ApiKeys',
	Type.Unsafe<{ apiKeys: readonly ApiKey[] }>(
		Type.Object(
			{
				apiKeys: Type.Array(
					Type.Object(
						{
							key: Type.String({ pattern: API_KEY_PATTERN, maxLength: 1000 }),
							permissions: Type.Array(TextEnum([...permissions])),
						},
						strict,
					),
				),
			},
			strict,
		),
	),
);
