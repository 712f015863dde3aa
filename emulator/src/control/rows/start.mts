import { control } from '../row.mts';
import { reset } from '../start.mts';

export const startControls = {
	/** Goes back to the start: no calls, the recordings of the seed, the options, true time and empty logs. */
	reset: control({
		method: 'POST',
		path: '/reset',
		summary:
			'Go back to the start: the options and the seed, without calls, logs and a moved clock',
		async run(parts) {
			await reset(parts);
		},
	}),
};
