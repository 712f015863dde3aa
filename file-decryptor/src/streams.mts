import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { asRefusal, errorCode } from './refusal.mts';

/** A standard stream; `isTTY` if it is a terminal. */
export type StandardStream = Writable & { isTTY?: boolean };

type Name = 'standard output' | 'standard error';

const streams = new Map<Name, StandardStream>();
let lost: string | undefined;

/** Standard output. It is set up on first use, because that takes time. */
export function standardOutput(): StandardStream {
	return streamOf('standard output');
}

export function standardError(): StandardStream {
	return streamOf('standard error');
}

/** Writes a text and goes on even if that fails: see `lostText`. */
export function writeText(name: Name, text: string): void {
	streamOf(name).write(text, (error) => {
		// A reader such as `head` may have seen enough.
		if (error && errorCode(error) !== 'EPIPE') lost ??= asRefusal(error, name).message;
	});
}

/** Why a text could not be written, if one could not. Complete only when the process exits. */
export function lostText(): string | undefined {
	return lost;
}

function streamOf(name: Name): StandardStream {
	let stream = streams.get(name);
	if (!stream) {
		stream = openStream(name);
		// Without a listener, a failure would end the process with a stack trace. The callback of each
		// write reports it instead.
		stream.on('error', () => undefined);
		streams.set(name, stream);
	}
	return stream;
}

function openStream(name: Name): StandardStream {
	const fd = name === 'standard output' ? 1 : 2;
	if (fstatSync(fd).isFile()) return new FileStream(fd);
	return fd === 1 ? process.stdout : process.stderr;
}

/** Node's own stream for files does not notice if only a part fits on the disk. */
class FileStream extends Writable {
	readonly #fd: number;

	constructor(fd: number) {
		super({ decodeStrings: true });
		this.#fd = fd;
	}

	override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
		try {
			let written = 0;
			while (written < chunk.length) written += writeSync(this.#fd, chunk, written);
			done();
		} catch (error) {
			done(error as Error);
		}
	}
}
