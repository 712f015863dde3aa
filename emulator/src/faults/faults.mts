import type { Permission } from '../auth/permissions.mts';
import type { Clock } from '../clock.mts';
import { ServiceError } from '../errors.mts';
import { type AddedFault, type Fault, type FaultRule, kindOf, needsReply } from './rule.mts';
import { fitsPattern } from '../text.mts';

/** What a rule can match. */
export interface FaultTarget {
	endpoint: Permission | undefined;
	method: string;
	/** As sent, with the query. */
	path: string;
}

/** A fault that hits a request. */
export interface Hit {
	fault: Fault;
	/** Whether the request is still carried out. */
	carryOut: boolean;
}

/** The faults that wait for requests. A request meets at most one, the oldest that matches. */
export interface Faults {
	add(rule: FaultRule): AddedFault;
	all(): AddedFault[];
	/** @throws ServiceError 404 */
	remove(id: number): void;
	clear(): void;
	/** Finds and counts the fault that hits a request, if there is one. */
	draw(target: FaultTarget): Hit | undefined;
}

interface Waiting {
	id: number;
	rule: FaultRule;
	addedAt: number;
	skipped: number;
	hits: number;
}

function timesOf({ times, probability, fault }: FaultRule): number {
	if (typeof times === 'number') return times;
	const lasts = kindOf(fault).lastsMs !== undefined;
	return times === undefined && probability === undefined && !lasts ? 1 : Infinity;
}

function matches({ match = {} }: FaultRule, { endpoint, method, path }: FaultTarget): boolean {
	const [bare = ''] = path.split('?', 1);
	const guid = bare.slice(bare.lastIndexOf('/') + 1);
	return (
		(match.endpoint === undefined || match.endpoint === endpoint) &&
		(match.method === undefined || match.method.toUpperCase() === method) &&
		(match.path === undefined || fitsPattern(bare, match.path)) &&
		// Clients may encode characters such as braces, or not.
		(match.sessionGuid === undefined ||
			match.sessionGuid === guid ||
			encodeURIComponent(match.sessionGuid) === guid)
	);
}

export function createFaults(clock: Clock): Faults {
	let waiting: Waiting[] = [];
	let lastId = 0;

	function isSpent({ rule, hits, addedAt }: Waiting): boolean {
		const lastsMs = kindOf(rule.fault).lastsMs?.(rule.fault) ?? Infinity;
		return clock.now() - addedAt >= lastsMs || hits >= timesOf(rule);
	}

	function show(one: Waiting): AddedFault {
		return { id: one.id, hits: one.hits, spent: isSpent(one), rule: one.rule };
	}

	return {
		add(rule) {
			const added = { id: (lastId += 1), rule, addedAt: clock.now(), skipped: 0, hits: 0 };
			waiting.push(added);
			return show(added);
		},
		all: () => waiting.map(show),
		remove(id) {
			if (!waiting.some((one) => one.id === id)) {
				throw new ServiceError(404, 'fault_not_found', `There is no fault ${id}`);
			}
			waiting = waiting.filter((one) => one.id !== id);
		},
		clear() {
			waiting = [];
		},
		draw(target) {
			for (const one of waiting) {
				const { rule } = one;
				if (isSpent(one) || !matches(rule, target)) continue;
				if (one.skipped < (rule.skip ?? 0)) {
					one.skipped += 1;
					continue;
				}
				if (Math.random() >= (rule.probability ?? 1)) continue;
				one.hits += 1;
				const carryOut = (rule.carryOut ?? false) || needsReply(rule.fault);
				return { fault: rule.fault, carryOut };
			}
			return undefined;
		},
	};
}
