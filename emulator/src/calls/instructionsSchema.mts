import { type Static, Type } from 'typebox';
import { named, Nullable, RecordingFormat, ref, strict, TextEnum } from '../schema.mts';

/** Service specification, Instructions block. Null counts as omitted in every field. */
export const ServiceInstructions = named(
	'ServiceInstructions',
	Type.Object({
		aiUrl: Type.Optional(Nullable(Type.Object({}, { description: 'Contents not specified' }))),
		maxSeconds: Type.Optional(
			Nullable(
				Type.Number({
					exclusiveMinimum: 0,
					description: 'Assumed: the longest time to talk, in seconds',
				}),
			),
		),
		defaultToolsUrlBase: Type.Optional(
			Nullable(Type.Object({}, { description: 'Contents not specified' })),
		),
		recordCall: Type.Optional(Nullable(Type.Boolean({ description: 'true records the call' }))),
		recordCallFormat: Type.Optional(Nullable(RecordingFormat)),
		recordCallPassword: Type.Optional(
			Nullable(Type.String({ description: 'Null or omitted: stored unencrypted' })),
		),
	}),
);
export type ServiceInstructions = Static<typeof ServiceInstructions>;

export const CallStartReply = named(
	'CallStartReply',
	Type.Object({ Service_Instructions: ref(ServiceInstructions) }),
);

/** What was understood of a `Service_Instructions` block. The password itself is not kept here. */
export const UnderstoodInstructions = named(
	'UnderstoodInstructions',
	Type.Object({
		source: TextEnum(['reply', 'default', 'none'], {
			description: 'CallStart reply, default instructions of the emulator, or neither',
		}),
		record: Type.Boolean({ description: 'Whether the call is recorded' }),
		format: RecordingFormat,
		encrypted: Type.Boolean(),
		maxSeconds: Nullable(Type.Number()),
		problems: Type.Array(Type.String(), {
			description: 'Why instructions were not followed; empty when all is well',
		}),
	}),
);
export type UnderstoodInstructions = Static<typeof UnderstoodInstructions>;

export const DefaultInstructions = named(
	'DefaultInstructions',
	Type.Object(
		{
			// Any object, so that wrong instructions can be tried. They are read when a call starts.
			instructions: Nullable(Type.Object({}, { additionalProperties: true })),
		},
		strict,
	),
);
