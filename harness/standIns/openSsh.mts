/** OpenSSH's own server, on a temporary folder: what the archive by SFTP meets in the field. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { ProcessGroup } from '../../scripts/processGroup.mjs';
import type { CredentialInput } from '../n8n/n8n.mts';
import { freePort, HOST, isListening } from '../n8n/ports.mts';
import { storedFiles, type StoredFile } from './storedFiles.mts';

const SSHD = '/usr/sbin/sshd';
const READY_TIMEOUT_MS = 60_000;

/** The reason to skip a test that needs it, or false. */
export function missingOpenSsh(): string | false {
	return !existsSync(SSHD) && 'there is no OpenSSH server';
}

export interface OpenSsh {
	credential: CredentialInput;
	/** Where files may be written. */
	folder: string;
	files(): Promise<StoredFile[]>;
	close(): Promise<void>;
}

export async function startOpenSsh(): Promise<OpenSsh> {
	const root = await mkdtemp(join(tmpdir(), 'voiceagent-sshd-'));
	const [folder, hostKey, clientKey, config] = ['calls', 'host', 'client', 'config'].map((name) =>
		join(root, name),
	) as [string, string, string, string];
	await mkdir(folder);
	for (const key of [hostKey, clientKey]) {
		execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
	}
	const port = await freePort();
	const settings = {
		ListenAddress: HOST,
		Port: port,
		HostKey: hostKey,
		PidFile: 'none',
		AuthorizedKeysFile: `${clientKey}.pub`,
		// The folder for temporary files belongs to everybody.
		StrictModes: 'no',
		PermitRootLogin: 'prohibit-password',
		PasswordAuthentication: 'no',
		Subsystem: 'sftp internal-sftp',
		ForceCommand: 'internal-sftp',
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
			name: 'OpenSSH',
			type: 'sftp',
			data: {
				host: HOST,
				port,
				username: userInfo().username,
				privateKey: await readFile(clientKey, 'utf8'),
			},
		},
		files: async () => await storedFiles(folder),
		close,
	};
}
