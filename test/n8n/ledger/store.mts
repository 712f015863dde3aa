/** The four archives, into which a test puts files as the archive workflows do. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startGoogleDrive, type GoogleDrive } from '../../../harness/standIns/googleDrive.mts';
import { startS3 } from '../../../harness/standIns/s3.mts';
import { startSftp } from '../../../harness/standIns/sftp.mts';
import { hostOf, shared, type Host } from '../suite.mts';

const BUCKET = 'call-recordings';
export const archives = ['Google Drive', 'S3', 'Folder', 'SFTP'] as const;

export interface ArchiveHost extends Host {
	/** n8n reaches Google through its proxy. */
	drive: GoogleDrive;
}

/** An n8n for the suites of a file, with a Google Drive. */
export function hostWithDrive() {
	const drive = shared(startGoogleDrive);
	// n8n deletes what it does not save within seconds, and not each quarter of an hour.
	const deletion = { EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL: '0.05' };
	const host = hostOf(async () => ({ env: { ...drive.env, ...deletion } }));
	const getArchiveHost = (): ArchiveHost => ({ ...host, drive });
	return { host, getHost: () => host, getArchiveHost };
}

type Put = (name: string, content: string | Buffer) => Promise<string>;

/** The archives, for the tests of a suite. */
export const archivesOf = (getHost: () => ArchiveHost) =>
	shared(async () => await startArchives(getHost()));

async function startArchives({ n8n, folder, drive }: ArchiveHost) {
	const [s3, sftp] = await Promise.all([startS3(BUCKET), startSftp()]);
	/** Each puts a file into an archive, and returns how the ledger names it. */
	const store: Record<(typeof archives)[number], Put> = {
		'Google Drive': async (name, content) => {
			drive.addFile(name, Buffer.from(content));
			return name;
		},
		S3: async (name, content) => {
			await s3.put(`calls/2026/${name}`, Buffer.from(content));
			return `calls/2026/${name}`;
		},
		Folder: async (name, content) => {
			await mkdir(join(folder, 'calls'), { recursive: true });
			await writeFile(join(folder, 'calls', name), content);
			return join(folder, 'calls', name);
		},
		SFTP: async (name, content) => {
			await sftp.write(name, content);
			return `${sftp.folder}/${name}`;
		},
	};
	const credentials = {
		googleDriveOAuth2Api: await n8n.createCredential(drive.oauthCredential()),
		aws: await n8n.createCredential(s3.credential),
		sftp: await n8n.createCredential(sftp.credential),
	};
	return {
		s3,
		/** What a user enters to read the file of a row. */
		s3FileUrl: `=${s3.url}{{ encodeURIComponent($json.file) }}`,
		sftp,
		store,
		credentials,
		close: async () => Promise.all([s3.close(), sftp.close()]),
	};
}
