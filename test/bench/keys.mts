/** b. Keys per second: what key derivation makes of the processors. */
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';

import { core } from './core.mts';
import { inTurns, isQuick, noise, timeMs } from './measure.mts';
import type { Part } from './page.mts';

const ROUNDS = isQuick ? 1 : 5;
const KEYS = isQuick ? 8 : 48;

export const keys: Part = {
	letter: 'b',
	title: 'Key derivation',
	text: 'Each encrypted recording needs its own key (PBKDF2, 310,000 iterations). For a short recording, that is most of the work. Compared with one thread that does nothing else.',
	async measure() {
		const alone = async () => ({
			perSecond: perSecond(
				await timeMs(async () => {
					for (let key = 0; key < KEYS; key++) {
						pbkdf2Sync('password', randomBytes(16), 310_000, 32, 'sha256');
					}
				}),
			),
		});
		const atOnce = (count: number) => async () => {
			let left = KEYS;
			const work = async () => {
				while (left-- > 0) await deriveKey();
			};
			const ms = await timeMs(async () => await Promise.all(Array.from({ length: count }, work)));
			return { perSecond: perSecond(ms) };
		};
		const measured = await inTurns(ROUNDS, {
			'One thread, nothing else': alone,
			'1 recording at once': atOnce(1),
			'2 at once': atOnce(2),
			'4 at once': atOnce(4),
			'8 at once': atOnce(8),
		});
		const bare = measured['One thread, nothing else'].perSecond;
		return {
			head: ['', 'Keys per second', `Of ${availableParallelism()} processors`, ''],
			rows: Object.entries(measured).map(([name, { perSecond: figure }]) => [
				name,
				figure.median.toFixed(1),
				(figure.median / bare.median).toFixed(2),
				noise(figure),
			]),
			data: measured,
		};
	},
};

const perSecond = (ms: number) => (KEYS * 1000) / ms;

/** Opens a recording that the password does not fit: its key has been derived when the tag refuses it. */
async function deriveKey(): Promise<void> {
	const sealed = randomBytes(64);
	const isRefused = await core
		.tryPasswords(['password'], async (decryptNext) => {
			const { chunks } = await decryptNext(
				(async function* () {
					yield sealed;
				})(),
			);
			for await (const chunk of chunks) void chunk;
			return false;
		})
		.catch(() => true);
	if (!isRefused) throw new Error('The tag was accepted.');
}
