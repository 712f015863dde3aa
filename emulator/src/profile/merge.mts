import type { ServiceProfile } from './schema.mts';

/** What is replaced as a whole: only together do its parts make sense. */
const WHOLE = new Set(['json', 'text', 'roles', 'paging', 'fields', 'redirects']);
/** Lists whose entries have a name. */
const NAMES: Readonly<Record<string, string>> = { exchanges: 'name', webhooks: 'event' };

type Values = Record<string, unknown>;

/** Several profiles as one. Of two that say the same, the last one counts. */
export function merged(profiles: readonly ServiceProfile[]): ServiceProfile {
	return profiles.reduce<unknown>(both, {}) as ServiceProfile;
}

function both(one: unknown, other: unknown): unknown {
	if (!isObject(one) || !isObject(other)) return other;
	const entries = Object.entries(other).map(([name, value]) => {
		const before = one[name];
		if (before === undefined || WHOLE.has(name)) return [name, value];
		const key = NAMES[name];
		return [name, key === undefined ? both(before, value) : byName(key, before, value)];
	});
	return { ...one, ...(Object.fromEntries(entries) as Values) };
}

function byName(key: string, before: unknown, after: unknown): unknown {
	const entries = new Map((before as Values[]).map((one) => [one[key], one]));
	for (const one of after as Values[]) {
		entries.set(one[key], both(entries.get(one[key]) ?? {}, one) as Values);
	}
	return [...entries.values()];
}

function isObject(value: unknown): value is Values {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
