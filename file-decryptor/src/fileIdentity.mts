import type { BigIntStats } from 'node:fs';

/** Identifies a file on this machine, whatever its names are. */
export type FileIdentity = `${bigint}:${bigint}`;

export function identityOf({ dev, ino }: BigIntStats): FileIdentity {
	return `${dev}:${ino}`;
}
