import { isoTime } from '../../clock.mts';
import { ref } from '../../schema.mts';
import { AdvanceClockRequest, ClockReply } from '../clockSchema.mts';
import { control } from '../row.mts';

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
