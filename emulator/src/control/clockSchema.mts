import { Type } from 'typebox';
import { named, strict, Time } from '../schema.mts';

export const ClockReply = named('ClockReply', Type.Object({ now: Time('Emulator time') }));

export const AdvanceClockRequest = named(
	'AdvanceClockRequest',
	Type.Object(
		{
			ms: Type.Number({
				minimum: -1e12,
				maximum: 1e12,
				description: 'Milliseconds, rounded to whole ones; negative values move it back',
			}),
		},
		strict,
	),
);
