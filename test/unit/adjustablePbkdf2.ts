import type * as crypto from 'node:crypto';

const real = jest.requireActual<typeof crypto>('node:crypto');

/** Deriving a key with all 310,000 iterations takes 40 ms or more: too long for tests with hundreds of files. */
export const adjusted: { iterations?: number } = {};

/** For `jest.mock('node:crypto', …)`. */
export const adjustableCrypto: typeof crypto = {
	...real,
	pbkdf2: (password, salt, iterations, ...others) =>
		real.pbkdf2(password, salt, adjusted.iterations ?? iterations, ...others),
};
