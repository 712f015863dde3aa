import { Type } from 'typebox';
import { named, strict, TextEnum } from '../schema.mts';
import { answersOf, type Profile, type Seen } from './profile.mts';
import { assumedShapes, profileOf, type Shapes, type UnknownName, unknowns } from './unknowns.mts';

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

/** How the service answers, which can change at any time. */
export interface ShapeBoard {
	/** The profiles that are chosen. */
	current(): Readonly<Shapes>;
	/** An omitted shape stays as it is. */
	set(change: Partial<Shapes>): void;
	/** Goes back to the assumed shapes. */
	reset(): void;
	/** What the service answers now. */
	readonly profile: Profile;
	/** What a service was seen to answer, if the emulator was started with it. */
	readonly seen: Seen | undefined;
}

export function createShapeBoard(seen?: Seen): ShapeBoard {
	let current = assumedShapes;
	let profile = answersOf(profileOf(current), seen);
	function set(change: Partial<Shapes>): void {
		const given = Object.entries(change).filter(([, value]) => value !== undefined);
		current = { ...current, ...Object.fromEntries(given) };
		profile = answersOf(profileOf(current), seen);
	}
	return {
		current: () => current,
		set,
		reset: () => set(assumedShapes),
		get profile() {
			return profile;
		},
		seen,
	};
}
