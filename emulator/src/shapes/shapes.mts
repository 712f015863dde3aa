import { Type } from 'typebox';
import { named, strict, TextEnum } from '../schema.mts';
import type { Profile } from '../profile/profile.mts';
import { assumedShapes, type Shapes, type UnknownName, unknowns } from './unknowns.mts';

/** One shape for each unknown of the specification. */
export const ShapesSchema = named(
	'Shapes',
	Type.Unsafe<Partial<Shapes>>(
		Type.Object(
			{
				...Object.fromEntries(
					(Object.keys(unknowns) as UnknownName[]).map((name) => {
						const { open, shapes } = unknowns[name];
						return [name, Type.Optional(TextEnum([...shapes], { description: open }))];
					}),
				),
				pageSize: Type.Optional(
					Type.Integer({ minimum: 1, maximum: 10_000, description: 'Recordings on one page' }),
				),
			},
			{ ...strict, description: 'An omitted shape stays as it is' },
		),
	),
);

/** The current shapes, which can change at any time. */
export interface ShapeBoard {
	current(): Readonly<Shapes>;
	/** An omitted shape stays as it is. */
	set(change: Partial<Shapes>): void;
	/** Goes back to the profile, or else to the assumptions. */
	reset(): void;
	/** What a service was seen to answer, if the emulator was started with it. */
	readonly profile: Profile | undefined;
}

export function createShapeBoard(profile?: Profile): ShapeBoard {
	const start = { ...assumedShapes, ...profile?.shapes };
	let current = { ...start };
	function set(change: Partial<Shapes>): void {
		const given = Object.entries(change).filter(([, value]) => value !== undefined);
		current = { ...current, ...Object.fromEntries(given) };
	}
	return {
		current: () => current,
		set,
		reset() {
			current = { ...start };
		},
		profile,
	};
}
