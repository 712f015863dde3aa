import type * as crypto from 'node:crypto';

const real = jest.requireActual<typeof crypto>('node:crypto');

/**
 * How many iterations PBKDF2 has in a test. All 310,000 take 40 ms or more, which is too long for
 * tests with hundreds of files.
 */
export const adjusted: { iterations?: number } = {};

/** For `jest.mock('node:crypto', …)`. */
export const adjustableCrypto: typeof crypto = {
	...real,
	pbkdf2: (password, salt, iterations, ...others) =>
		real.pbkdf2(password, salt, adjusted.iterations ?? iterations, ...others),
};
