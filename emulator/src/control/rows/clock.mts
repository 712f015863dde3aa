import { Type } from 'typebox';
import { isoTime } from '../../clock.mts';
import { named, ref, strict, Time } from '../../schema.mts';
import { control } from '../row.mts';

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

const toReply = (now: number) => ({ now: isoTime(now) });

export const clockControls = {
	/** Emulator time in milliseconds since 1970-01-01 UTC. */
	now: control({
		method: 'GET',
		path: '/clock',
		summary: 'Emulator time',
		reply: ref(ClockReply),
		run: ({ clock }) => clock.now(),
		toReply,
	}),
	/** Moves the clock and purges what is over 7 days old then. */
	advanceClock: control({
		method: 'POST',
		path: '/clock/advance',
		summary: 'Move the clock, and purge what is over 7 days old then',
		body: AdvanceClockRequest,
		reply: ref(ClockReply),
		args: (ms: number) => ({ body: { ms } }),
		async run({ clock, store, log, recordings }, { body: { ms } }) {
			clock.advance(ms);
			store.saveClockOffset(clock.offset());
			log.write('info', `clock moved by ${ms} ms`);
			await recordings.purgeExpired();
			return clock.now();
		},
		toReply,
	}),
};
