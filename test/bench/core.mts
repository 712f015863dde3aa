/** What decrypts, as it is published: the built files. */
import { createRequire } from 'node:module';

interface Peeked {
	head: Buffer;
	rest: AsyncGenerator<Uint8Array>;
}

interface Core {
	/** As in nodes/recordingFile/encryptedRecording.ts. */
	decipherVerified(key: Buffer, header: Buffer, body: Peeked): AsyncGenerator<Buffer>;
	/** As in nodes/recordingFile/tryPasswords.ts. */
	tryPasswords<T>(
		passwords: readonly string[],
		attempt: (
			decryptNext: (
				source: AsyncIterable<Uint8Array>,
			) => Promise<{ chunks: AsyncIterable<Uint8Array> }>,
		) => Promise<T>,
	): Promise<T>;
}

const require = createRequire(import.meta.url);
const built = (name: string) => require(`../../dist/nodes/recordingFile/${name}.js`) as Core;

export const core: Core = {
	decipherVerified: built('encryptedRecording').decipherVerified,
	tryPasswords: built('tryPasswords').tryPasswords,
};
