import { type Static, type TObject, Type } from 'typebox';
import { permissions } from '../auth/permissions.mts';
import { ServiceError } from '../errors.mts';
import { named, strict, TextEnum } from '../schema.mts';
import { findInvalid } from '../validation.mts';
import type { Behavior } from './kind.mts';
import { replacingKinds } from './replacingKinds.mts';
import { spoilingKinds } from './spoilingKinds.mts';

const literals = [...replacingKinds, ...spoilingKinds];

export type Fault = Static<(typeof literals)[number]['schema']>;

/** Every kind of fault. */
export const faultKinds: readonly (Behavior<Fault> & { kind: Fault['kind']; schema: TObject })[] =
	literals;

export const Fault = Type.Unsafe<Fault>({
	type: 'object',
	required: ['kind'],
	oneOf: faultKinds.map(({ schema }) => schema),
});

export function kindOf({ kind }: Fault): Behavior<Fault> {
	const found = faultKinds.find((one) => one.kind === kind);
	if (!found) throw new Error(`There is no fault ${kind}`);
	return found;
}

/** Whether the request is carried out, so that there is a true reply to spoil. */
export function needsReply(fault: Fault): boolean {
	const { needsReply: decides, replace } = kindOf(fault);
	return decides ? decides(fault) : replace === undefined;
}

/** These hit every request until their time is over. */
const lasting = faultKinds.flatMap(({ kind, lastsMs }) => (lastsMs ? [kind] : [])).join(', ');

export const FaultRule = named(
	'FaultRule',
	Type.Object(
		{
			match: Type.Optional(
				Type.Object(
					{
						endpoint: Type.Optional(TextEnum([...permissions])),
						method: Type.Optional(Type.String({ description: 'In capitals' })),
						path: Type.Optional(
							Type.String({ description: 'As sent, without the query; * stands for any text' }),
						),
						sessionGuid: Type.Optional(Type.String({ description: 'At the end of the path' })),
					},
					{ ...strict, description: 'Everything named must fit; omitted: every request' },
				),
			),
			skip: Type.Optional(
				Type.Integer({ minimum: 0, description: 'Lets this many matching requests pass first' }),
			),
			times: Type.Optional(
				Type.Unsafe<number | 'always'>({
					anyOf: [
						{ type: 'integer', minimum: 1 },
						{ type: 'string', enum: ['always'] },
					],
					description: `How many requests it hits; if omitted 1, or "always" with a probability and for ${lasting}`,
				}),
			),
			probability: Type.Optional(
				Type.Number({ minimum: 0, maximum: 1, description: 'That a matching request is hit' }),
			),
			carryOut: Type.Optional(
				Type.Boolean({
					description: 'Does what was asked although the reply says something else',
				}),
			),
			fault: Fault,
		},
		strict,
	),
);
export type FaultRule = Static<typeof FaultRule>;

export const AddedFault = named(
	'AddedFault',
	Type.Object({
		id: Type.Integer(),
		hits: Type.Integer({ description: 'Requests it has hit so far' }),
		spent: Type.Boolean({ description: 'It will hit no more' }),
		rule: Type.Unsafe<FaultRule>({ type: 'object', additionalProperties: true }),
	}),
);
export type AddedFault = Static<typeof AddedFault>;

/**
 * Checks a rule that may come from outside TypeScript.
 *
 * @throws ServiceError 400 that names the fields
 */
export function requireFaultRule(rule: unknown): asserts rule is FaultRule {
	const invalid = findInvalid(FaultRule, rule, { label: 'the rule' });
	if (!invalid) return;
	// A union reports the errors of every branch, but only those of the given kind help.
	const fault: unknown = Reflect.get(Object(rule), 'fault');
	const kind: unknown = Reflect.get(Object(fault), 'kind');
	const schema = faultKinds.find((one) => one.kind === kind)?.schema;
	const inFault = schema && findInvalid(schema, fault, { prefix: 'fault' });
	const kinds = faultKinds.map((one) => one.kind).join(', ');
	const unknownKind = { fields: ['fault.kind'], reason: `fault.kind must be one of ${kinds}` };
	const isUnknownKind = fault !== undefined && !schema;
	const { fields, reason } = inFault ?? (isUnknownKind ? unknownKind : invalid);
	throw new ServiceError(400, 'invalid_request', reason, fields);
}
