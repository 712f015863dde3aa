import { type Static, type TObject, Type } from 'typebox';
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
