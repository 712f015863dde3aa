import {
	atOnce,
	decryptTo,
	verify,
	type Decrypted,
	type ReadFromStart,
	type Sink,
} from './decryptRecording.mts';
import { asRefusal, errorCode } from './refusal.mts';
import { SameChunks } from './sameChunks.mts';
import { standardOutput } from './streams.mts';

/**
 * Reads the recording twice, so that nothing unverified goes out: first to verify it, then to pass
 * it on.
 */
export async function decryptToStandardOutput(
	firstReading: ReadFromStart,
	secondReading: ReadFromStart,
	passwords: readonly string[],
): Promise<Decrypted> {
	let same = new SameChunks();
	const verified = await verify(() => {
		same = new SameChunks();
		return same.remember(firstReading());
	}, passwords);
	const password = passwords[verified.passwordIndex] ?? '';
	await decryptTo(toStandardOutput, () => same.confirm(secondReading()), [password], atOnce);
	return verified;
}

const toStandardOutput: Sink = {
	start: async () => undefined,
	async write(chunk) {
		await new Promise<void>((resolve, reject) => {
			standardOutput().write(chunk, (error) => {
				if (!error) resolve();
				else reject(errorCode(error) === 'EPIPE' ? error : asRefusal(error, 'standard output'));
			});
		});
	},
	reset: async () => undefined,
};
