import { Type } from 'typebox';
import { named, strict, TextEnum } from '../schema.mts';
import { type Shapes, type UnknownName, unknowns } from './unknowns.mts';

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
