import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';

/** The certificates that an HTTPS emulator can show. */
export const certificateKinds = ['valid', 'selfSigned', 'expired', 'wrongName'] as const;
export type CertificateKind = (typeof certificateKinds)[number];

export interface Certificate {
	/** Private key of the server, PEM. */
	key: string;
	/** Certificate of the server, PEM. */
	cert: string;
	/** The authority that signed it, PEM. A client that trusts it accepts a `valid` certificate. */
	caPem: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A name that cannot exist (RFC 6761). */
const WRONG_NAME = 'somewhere-else.invalid';

type AltName = { type: 2; value: string } | { type: 7; ip: string };

function altNames(hosts: string[]): AltName[] {
	const names = new Set(['localhost', '127.0.0.1', '::1', ...hosts]);
	return [...names].map((name) =>
		isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name },
	);
}

/**
 * Makes an authority and a server certificate. The authority signs every kind except `selfSigned`,
 * so clients refuse `expired` and `wrongName` for exactly that reason.
 *
 * @param hosts names and addresses of the server, in addition to those of this machine
 */
export async function createCertificate(
	kind: CertificateKind,
	...hosts: string[]
): Promise<Certificate> {
	// Loaded only when needed, because loading it takes longer than the rest of the start.
	const { generate } = await import('selfsigned');
	const key = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
	const now = Date.now();
	// A client that trusts several emulators finds the right authority by its name.
	const name = `Voice agent emulator CA ${randomUUID()}`;
	const ca = await generate([{ name: 'commonName', value: name }], {
		...key,
		notBeforeDate: new Date(now - 30 * DAY_MS),
		notAfterDate: new Date(now + 365 * DAY_MS),
		extensions: [
			{ name: 'basicConstraints', cA: true, critical: true },
			{ name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
		],
	});
	const lastDay = kind === 'expired' ? now - DAY_MS : now + 365 * DAY_MS;
	const server = await generate([{ name: 'commonName', value: 'Voice agent emulator' }], {
		...key,
		notBeforeDate: new Date(now - 30 * DAY_MS),
		notAfterDate: new Date(lastDay),
		extensions: [
			{ name: 'basicConstraints', cA: false, critical: true },
			{ name: 'keyUsage', digitalSignature: true, critical: true },
			{ name: 'extKeyUsage', serverAuth: true },
			{
				name: 'subjectAltName',
				altNames: kind === 'wrongName' ? [{ type: 2, value: WRONG_NAME }] : altNames(hosts),
			},
		],
		...(kind !== 'selfSigned' && { ca: { key: ca.private, cert: ca.cert } }),
	});
	return { key: server.private, cert: server.cert, caPem: ca.cert };
}
