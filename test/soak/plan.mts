/**
 * What happens in a soak: calls, what goes wrong with each, and when n8n is killed. The same seed
 * gives the same plan.
 */
import type { FaultRule, RecordingFormat } from '../../emulator/src/index.mts';

/** How likely each thing goes wrong with a call. */
const FAULT_RATE = 0.05;
const UNRECORDED_RATE = 0.07;
const OUTAGES = ['archive', 'delete', 'ledger'] as const;
const FORMATS: readonly RecordingFormat[] = ['opus', 'mp3', 'wav'];

export interface PlannedCall {
	sessionGuid: string;
	/** Time since the call before, in milliseconds. */
	pauseMs: number;
	/** Undefined if the call was not recorded. */
	recording?: { format: RecordingFormat; sizeBytes: number; isEncrypted: boolean };
	/** How long after CallEnd the recording is stored. */
	lateMs: number;
	webhook: {
		isLost: boolean;
		/** Whether it is sent after the one of the next call. */
		isReordered: boolean;
		/** How long after the first one it is sent again. */
		repeatedAfterMs?: number;
	};
	faults: FaultRule[];
}

export interface PlannedKill {
	/** The call after which it happens, and how long after its webhook. */
	afterCall: number;
	delayMs: number;
	/** How many calls end before n8n is started again. */
	callsWhileDown: number;
}

export interface PlannedOutage {
	what: (typeof OUTAGES)[number];
	/** The call after which it begins. */
	afterCall: number;
	forMs: number;
}

export interface Plan {
	calls: PlannedCall[];
	kills: PlannedKill[];
	/** One after the other. */
	outages: PlannedOutage[];
}

export function makePlan({
	calls,
	kills,
	outages = 0,
	seed,
}: {
	calls: number;
	kills: number;
	outages?: number;
	seed: number;
}): Plan {
	const random = generator(seed);
	const planned = Array.from({ length: calls }, () => planCall(random));
	const plan: Plan = {
		calls: planned,
		kills: killTimes(random, calls, kills),
		outages: Array.from({ length: outages }, (_, index) => ({
			what: OUTAGES[index % OUTAGES.length] as PlannedOutage['what'],
			afterCall: Math.floor((calls * (index + 0.5)) / outages),
			forMs: 60_000 + below(random, 120_000),
		})),
	};
	// Calls end during each outage, and between two of them.
	const sumOf = (all: number[]) => all.reduce((sum, ms) => sum + ms, 0);
	const lastMs = 1.5 * sumOf(plan.outages.map(({ forMs }) => forMs));
	const slower = Math.max(1, lastMs / sumOf(planned.map(({ pauseMs }) => pauseMs)));
	for (const call of planned) call.pauseMs *= slower;
	return plan;
}

interface Random {
	/** From 0 up to, but not including, 1. */
	(): number;
}

/** The generator Mulberry32. */
export function generator(seed: number): Random {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const below = (random: Random, limit: number) => Math.floor(random() * limit);

function planCall(random: Random): PlannedCall {
	const sessionGuid = guid(random);
	const isHit = () => random() < FAULT_RATE;
	return {
		sessionGuid,
		// Some calls end at the same moment.
		pauseMs: random() < 0.2 ? 0 : below(random, 500),
		recording: random() < UNRECORDED_RATE ? undefined : planRecording(random),
		lateMs: isHit() ? 500 + below(random, 9_500) : 0,
		webhook: {
			isLost: isHit(),
			isReordered: isHit(),
			repeatedAfterMs: isHit() ? below(random, 2) * below(random, 3_000) : undefined,
		},
		faults: planFaults(random, sessionGuid, isHit),
	};
}

function planRecording(random: Random): PlannedCall['recording'] {
	return {
		format: FORMATS[below(random, FORMATS.length)] as RecordingFormat,
		// From 3 kB to 3 MB, most of them small.
		sizeBytes: Math.round(3_000 * 1_000 ** (random() ** 2)),
		isEncrypted: random() < 0.5,
	};
}

/** Each lasts for a request or two, or longer than Download and Delete try. */
function planFaults(random: Random, sessionGuid: string, isHit: () => boolean): FaultRule[] {
	const endpoint = () => (random() < 0.6 ? 'downloadRecording' : 'deleteRecording');
	const times = () => 1 + below(random, 5);
	const faults: FaultRule[] = [];
	if (isHit()) {
		faults.push({
			match: { endpoint: 'downloadRecording', sessionGuid },
			times: times(),
			fault: { kind: 'drop', afterBytes: below(random, 3_000), chunked: random() < 0.5 },
		});
	}
	if (isHit()) {
		faults.push({
			match: { endpoint: endpoint(), sessionGuid },
			times: times(),
			// The request may have been carried out anyway.
			carryOut: random() < 0.5,
			fault: { kind: 'status', status: 500 },
		});
	}
	if (isHit()) {
		faults.push({
			match: { endpoint: endpoint(), sessionGuid },
			times: times(),
			fault: { kind: 'status', status: 429, retryAfter: String(below(random, 3)) },
		});
	}
	return faults;
}

function killTimes(random: Random, calls: number, kills: number): PlannedKill[] {
	return Array.from({ length: kills }, () => ({
		afterCall: below(random, calls),
		delayMs: below(random, 1_500),
		callsWhileDown: below(random, 8),
	})).sort((one, other) => one.afterCall - other.afterCall);
}

function guid(random: Random): string {
	const hex = Array.from({ length: 32 }, () => below(random, 16).toString(16)).join('');
	return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}
