/**
 * OpenSSH's own server on a temporary folder: what an archive by SFTP meets in the field.
 *
 * ```ts
 * const sftp = await startSftp();
 * const credential = await n8n.createCredential(sftp.credential);
 * ```
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ProcessGroup } from '../../scripts/processGroup.mjs';
import type { CredentialInput } from '../n8n/n8n.mts';
import { freePort, HOST, isListening } from '../n8n/ports.mts';
import type { SftpFault } from './sftpSession.mts';
import { storedFiles, type StoredFile } from './storedFiles.mts';

const SSHD = '/usr/sbin/sshd';
/** Debian, Fedora, Arch, macOS. */
const SFTP_SERVER = ['lib/openssh', 'libexec/openssh', 'lib/ssh', 'libexec']
	.map((folder) => `/usr/${folder}/sftp-server`)
	.find((path) => existsSync(path));
const SESSION = join(import.meta.dirname, 'sftpSession.mts');
const READY_TIMEOUT_MS = 60_000;

/** The reason to skip a test that needs it, or false. */
export function missingOpenSsh(): string | false {
	return (!existsSync(SSHD) || SFTP_SERVER === undefined) && 'there is no OpenSSH server';
}

export interface Sftp {
	credential: CredentialInput;
	/** Where files may be written. */
	folder: string;
	/** Named by their paths from the folder. */
	files(): Promise<StoredFile[]>;
	/** Puts a file into the folder, with the folders on its path. */
	write(path: string, content: Buffer | string): Promise<void>;
	/** Faults for sessions that begin later. One of kind `status` is answered with "Failure". */
	addFaults(...faults: SftpFault[]): Promise<void>;
	close(): Promise<void>;
}

export async function startSftp(): Promise<Sftp> {
	const root = await mkdtemp(join(tmpdir(), 'voiceagent-sshd-'));
	const folder = join(root, 'calls');
	const hostKey = join(root, 'host');
	const clientKey = join(root, 'client');
	const config = join(root, 'config');
	const faults = join(root, 'faults');
	await mkdir(folder);
	for (const key of [hostKey, clientKey]) {
		execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
	}
	const port = await freePort();
	const withFaults = `exec "${process.execPath}" "${SESSION}" ${SFTP_SERVER} "${faults}"`;
	const settings = {
		ListenAddress: HOST,
		Port: port,
		HostKey: `"${hostKey}"`,
		PidFile: 'none',
		AuthorizedKeysFile: `"${clientKey}.pub"`,
		// The folder for temporary files belongs to everybody.
		StrictModes: 'no',
		PermitRootLogin: 'prohibit-password',
		PasswordAuthentication: 'no',
		// By default, it turns some away when more than ten connect at once.
		MaxStartups: 1000,
		Subsystem: `sftp ${SFTP_SERVER}`,
		ForceCommand: `if test -e "${faults}"; then ${withFaults}; else exec ${SFTP_SERVER}; fi`,
	};
	const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
	await writeFile(config, lines.join(''));
	// Root needs it for the processes that nobody has logged in to yet.
	if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true });
	const group = new ProcessGroup(SSHD, ['-D', '-f', config], { stdio: 'ignore' });
	async function close(): Promise<void> {
		await group.end({ graceMs: 5_000 });
		await rm(root, { recursive: true, force: true });
	}
	const deadline = Date.now() + READY_TIMEOUT_MS;
	while (!(await isListening(port))) {
		if (!group.isRunning || Date.now() > deadline) {
			await close();
			throw new Error(`The OpenSSH server does not become ready: ${SSHD} -D -f ${config}`);
		}
		await sleep(50);
	}
	return {
		folder,
		credential: {
			name: 'SFTP',
			type: 'sftp',
			data: {
				host: HOST,
				port,
				username: userInfo().username,
				privateKey: await readFile(clientKey, 'utf8'),
			},
		},
		files: async () => await storedFiles(folder),
		async write(path, content) {
			await mkdir(dirname(join(folder, path)), { recursive: true });
			await writeFile(join(folder, path), content);
		},
		async addFaults(...more) {
			const left = existsSync(faults)
				? (JSON.parse(await readFile(faults, 'utf8')) as object[])
				: [];
			await writeFile(faults, JSON.stringify([...left, ...more]));
		},
		close,
	};
}
