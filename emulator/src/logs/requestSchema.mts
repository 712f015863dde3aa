import { type Static, Type } from 'typebox';
import { named, Nullable, Time } from '../schema.mts';

export const RequestEntry = named(
	'RequestEntry',
	Type.Object({
		id: Type.Integer(),
		time: Time('When it arrived'),
		method: Type.String(),
		path: Type.String({ description: 'As sent, with the query' }),
		rawHeaders: Type.Array(Type.Array(Type.String()), {
			description:
				'[name, value] pairs letter for letter, in the order they were sent; each character is one byte',
		}),
		body: Type.Unknown({ description: 'Parsed JSON body, null without one' }),
		bodyBase64: Nullable(
			Type.String({ description: 'Bytes of the body as they came, null without one' }),
		),
		fault: Nullable(Type.String({ description: 'Kind of the fault that hit it' })),
		status: Nullable(Type.Integer({ description: 'Null while there is no reply' })),
		durationMs: Nullable(Type.Number({ description: 'Null while it is running' })),
		aborted: Type.Boolean({ description: 'The connection ended before the reply did' }),
	}),
);
export type RequestEntry = Static<typeof RequestEntry>;
