import { type Static, type TSchema, Type } from 'typebox';

/*
 * What several schemas have in common. A schema lives beside the code that uses it; it validates
 * requests, serializes replies and appears in the OpenAPI document.
 */

export const Time = (description: string) => Type.String({ format: 'date-time', description });

/**
 * The schema or null. Written as a list of types if possible: the validation message of a union
 * names every branch, and serializing a union tries each branch in turn.
 */
export const Nullable = <T extends TSchema>(schema: T) => {
	const { type, enum: values, ...rest }: { type?: string; enum?: unknown[] } = { ...schema };
	return Type.Unsafe<Static<T> | null>(
		type === undefined
			? { anyOf: [schema, { type: 'null' }] }
			: { ...rest, type: [type, 'null'], ...(values && { enum: [...values, null] }) },
	);
};

export const TextEnum = <T extends string>(values: T[], options: { description?: string } = {}) =>
	Type.Unsafe<T>({ type: 'string', enum: values, ...options });

/** Name of a header. */
export const HEADER_NAME_PATTERN = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";

/** What Node accepts as the value of a header: one line of Latin-1. */
export const HEADER_VALUE_PATTERN = '^[\\t\\x20-\\x7e\\x80-\\xff]*$';

export const ByteCount = (description: string) => Type.Integer({ minimum: 0, description });

export const Milliseconds = (description: string) =>
	Type.Number({ minimum: 0, maximum: 600_000, description });

export const Sha256 = (description: string) =>
	Type.String({ pattern: '^[0-9a-f]{64}$', description: `SHA-256 in hex of ${description}` });

export const strict = { additionalProperties: false } as const;

/** A reference to a shared schema, so that the OpenAPI document names it once. */
export const ref = <T extends TSchema & { $id: string }>(schema: T) =>
	Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });

/** Every schema with a name, for the OpenAPI document. */
export const namedSchemas: TSchema[] = [];

export function named<T extends TSchema, Id extends string>(id: Id, schema: T): T & { $id: Id } {
	const withId = Object.assign(schema, { $id: id });
	namedSchemas.push(withId);
	return withId;
}

/** Service specification, Instructions block: the allowed values of `recordCallFormat`. */
export const RecordingFormat = TextEnum(['opus', 'mp3', 'wav'], {
	description: 'Audio format of a recording',
});
export type RecordingFormat = Static<typeof RecordingFormat>;

export const SessionGuid = Type.String({
	minLength: 1,
	maxLength: 100,
	// Fits one segment of a path, a header value and a file name. .NET may print braces around it.
	pattern: '^[A-Za-z0-9{}._-]+$',
	description: 'Identifies the call and its recording; delivered by the CallEnd webhook',
});

export const ErrorBody = named(
	'Error',
	Type.Object({
		error: Type.Object({
			code: Type.String(),
			message: Type.String(),
			fields: Type.Optional(Type.Array(Type.String())),
		}),
	}),
);
export type ErrorBody = Static<typeof ErrorBody>;

export const SessionGuidParams = Type.Object({
	// Any text, because the reply to an unknown one is 404, whatever it looks like.
	sessionGuid: Type.String({
		description: 'From the CallEnd webhook',
		examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
	}),
});
