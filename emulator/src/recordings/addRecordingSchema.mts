import { type Static, Type } from 'typebox';
import { named, RecordingFormat, SessionGuid, strict, Time } from '../schema.mts';

export const AddRecordingRequest = named(
	'AddRecordingRequest',
	Type.Object(
		{
			sessionGuid: Type.Optional(SessionGuid),
			to: Type.Optional(Type.String()),
			from: Type.Optional(Type.String()),
			format: Type.Optional(RecordingFormat),
			durationSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 14_400 })),
			sizeBytes: Type.Optional(
				Type.Integer({
					minimum: 1,
					maximum: 2 ** 32 - 1,
					description: 'Synthetic audio of about this size instead of a given length',
				}),
			),
			onTheFly: Type.Optional(
				Type.Boolean({
					description: 'Keeps no file: the synthetic audio is made anew for each download',
				}),
			),
			password: Type.Optional(Type.String({ description: 'Stores it encrypted' })),
			endedAt: Type.Optional(Time('When its call ended; now when omitted')),
			contentBase64: Type.Optional(
				Type.String({
					pattern: '^[A-Za-z0-9+/]*={0,2}$',
					description: 'Exact bytes to store instead of synthetic audio',
				}),
			),
		},
		strict,
	),
);
export type AddRecordingRequest = Static<typeof AddRecordingRequest>;

/** What an emulator without state begins with. */
export const Seed = Type.Object({ recordings: Type.Array(AddRecordingRequest) }, strict);
export type Seed = Static<typeof Seed>;
