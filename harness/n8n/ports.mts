/** Ports of 127.0.0.1 for programs that must be told theirs before they start. */
import { randomInt } from 'node:crypto';
import { createConnection, createServer } from 'node:net';

export const HOST = '127.0.0.1';
/**
 * Linux (from 32768), macOS and Windows (from 49152) give higher ports to outgoing connections.
 * Such a port could be taken in the seconds until n8n listens.
 */
const CANDIDATES = { from: 15_000, to: 30_000 } as const;
const ATTEMPTS = 100;

const givenOut = new Set<number>();

/** A port that nobody listens on, and that this process gets only once. */
export async function freePort(): Promise<number> {
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const port = randomInt(CANDIDATES.from, CANDIDATES.to);
		if (givenOut.has(port) || !(await isFree(port))) continue;
		givenOut.add(port);
		return port;
	}
	throw new Error(
		`No free port was found on ${HOST}: ` +
			`${ATTEMPTS} between ${CANDIDATES.from} and ${CANDIDATES.to} are taken.`,
	);
}

/** Whether a program could listen on the port now. */
export async function isFree(port: number): Promise<boolean> {
	return await new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', (error: NodeJS.ErrnoException) =>
			error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
		);
		server.listen(port, HOST, () => server.close(() => resolve(true)));
	});
}

/** Whether a program listens on the port now. */
export async function isListening(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = createConnection(port, HOST, () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => resolve(false));
	});
}
