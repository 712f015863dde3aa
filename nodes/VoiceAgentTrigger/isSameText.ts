import { createHash, timingSafeEqual } from 'node:crypto';

/** Takes the same time for any two texts. Digests have the same length, so that the length is not revealed either. */
export function isSameText(one: string, other: string): boolean {
	return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
