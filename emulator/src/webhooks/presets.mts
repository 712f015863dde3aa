const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface SwitchOff {
	/** After this many failed attempts in a row … */
	failures: number;
	/** … if the last success is longer ago than this, or there was none. */
	quietMs: number;
}

export interface Preset {
	/** The pause before each retry, from the failure of the attempt before. */
	pausesMs: readonly number[];
	/** When the sender switches a webhook off. */
	switchOff?: SwitchOff;
}

const repeated = (times: number, ms: number) => Array.from({ length: times }, () => ms);

/** How real senders deliver webhooks. FAULTS.md names the page of each that says so. */
export const presets = {
	once: { pausesMs: [] },
	elevenLabs: { pausesMs: [], switchOff: { failures: 10, quietMs: 7 * DAY } },
	ultravox: { pausesMs: Array.from({ length: 10 }, (_, index) => 30 * SECOND * 2 ** index) },
	svix: {
		pausesMs: [
			...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
			...[2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
		],
	},
	standardWebhooks: {
		pausesMs: [
			...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
			...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
		],
	},
	nmi: {
		pausesMs: [
			...[15 * SECOND, ...repeated(3, MINUTE), 5 * MINUTE, 15 * MINUTE, 30 * MINUTE],
			...[...repeated(10, HOUR), ...repeated(2, 12 * HOUR), 24 * HOUR],
		],
	},
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as PresetName[];
