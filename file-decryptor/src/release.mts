import { MessageChannel } from 'node:worker_threads';

const { port1: port, port2: receiver } = new MessageChannel();
receiver.close();

/**
 * Frees the memory of a piece, which is empty from then on: a message that nobody receives takes it
 * away. The garbage collector would free it too, but on a busy machine so late that 100 MB wait.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
	// A short piece may share its memory with others.
	if (byteLength === buffer.byteLength) port.postMessage(undefined, [buffer as ArrayBuffer]);
}
