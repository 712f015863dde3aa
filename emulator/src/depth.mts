/** Deeper JSON could overflow the stack of the code that serializes it. */
export const MAX_DEPTH = 32;

/** Whether objects and arrays are nested deeper than `depth` levels. */
export function isDeeperThan(value: unknown, depth = MAX_DEPTH): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
