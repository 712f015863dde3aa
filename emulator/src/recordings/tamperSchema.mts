import { type Static, Type } from 'typebox';
import { ByteCount, named, strict } from '../schema.mts';

export const TamperRequest = named(
	'TamperRequest',
	Type.Object(
		{
			flipBitAt: Type.Optional(
				Type.Integer({
					description: 'Byte offset whose lowest bit is flipped; negative counts from the end',
				}),
			),
			truncateTo: Type.Optional(ByteCount('New length of the stored file')),
		},
		{ ...strict, minProperties: 1 },
	),
);
export type TamperRequest = Static<typeof TamperRequest>;
