/** The places that the workflows archive to, with ways to look into them and to make them fail. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import type { CredentialInput, Workflow } from '../n8n/n8n.mts';
import { archiveToFolder, nodeOf, readWorkflow } from '../workflows.mts';
import { startGoogleDrive, type GoogleDrive } from './googleDrive.mts';
import { startS3 } from './s3.mts';
import { missingOpenSsh, startSftp } from './sftp.mts';
import { storedFiles, type StoredFile } from './storedFiles.mts';

export interface Archive {
	/** The workflow file with the values that its user enters, such as folder or bucket. */
	configured(): Workflow;
	/** What n8n needs to reach it. */
	n8n: { env?: Record<string, string>; allowedPaths?: string[] };
	credentials: CredentialInput[];
	/** The files in the archive now, except those in a bin. */
	files(): Promise<StoredFile[]>;
	/** Puts a file there, as an execution that was killed leaves it. */
	place(name: string, content: Buffer): Promise<void>;
	/** Puts a folder there. S3 and Google Drive have files and folders of one name side by side. */
	placeFolder(name: string): Promise<void>;
	/** Makes the next upload go wrong in this way. */
	spoil(how: keyof typeof uploadFaults, fileName: string): Promise<void>;
	/** Mends what makes uploads of that name fail for good. */
	mend?(fileName: string): Promise<void>;
	close(): Promise<void>;
}

/** `silence` keeps the connection, and `loseAnswer` ends it. */
const uploadFaults = {
	refuse: { on: 'upload', kind: 'status', status: 503 },
	alter: { on: 'upload', kind: 'corrupt' },
	truncate: { on: 'upload', kind: 'truncate' },
	loseAnswer: { on: 'upload', kind: 'loseAnswer' },
	silence: { on: 'upload', kind: 'silent' },
} as const;

export interface FolderArchive extends Archive {
	folder: string;
}

/** @param parent a folder that exists; by default that for temporary files */
export async function folderArchive(parent: string = tmpdir()): Promise<FolderArchive> {
	const folder = await mkdtemp(join(parent, 'archive {a,b} [c]-'));
	return {
		folder,
		configured: () => archiveToFolder(folder),
		n8n: { allowedPaths: [folder, '/dev/full', '/dev/null'] },
		credentials: [],
		files: async () => await storedFiles(folder),
		place: async (name, content) => await writeFile(join(folder, name), content),
		placeFolder: async (name) => await mkdir(join(folder, name)),
		async spoil(how, fileName) {
			const file = join(folder, fileName);
			// A folder has no faults, but devices have: one is always full, one forgets what is written.
			if (how !== 'refuse') await symlink('/dev/null', file);
			else if (existsSync('/dev/full')) await symlink('/dev/full', file);
			else await mkdir(file);
		},
		mend: async (fileName) => await rm(join(folder, fileName), { recursive: true }),
		close: async () => await rm(folder, { recursive: true, force: true }),
	};
}

/** Enters the address of a bucket in the nodes of archive-to-s3. */
export function enterBucket(workflow: Workflow, bucketUrl: string): void {
	// It does not begin with `s3.`, so n8n has to be told which service it is.
	const service = { parameters: [{ name: 'service', value: 's3' }] };
	for (const [name, fileName] of [
		['Upload recording to S3', '$json.fileName'],
		['Read recording back from S3', "$('Download recording').item.json.fileName"],
	] as const) {
		const url = `=${bucketUrl}{{ ${fileName}.urlEncode() }}`;
		const { parameters } = nodeOf(workflow, name);
		Object.assign(parameters, { url, sendQuery: true, queryParameters: service });
	}
}

export async function s3Archive(): Promise<Archive> {
	const s3 = await startS3('call-recordings');
	return {
		configured() {
			const workflow = readWorkflow('archive-to-s3');
			enterBucket(workflow, s3.url);
			return workflow;
		},
		n8n: {},
		credentials: [s3.credential],
		async files() {
			const objects = await s3.objects();
			return objects.map(({ key, content }) => ({ name: basename(key), content }));
		},
		place: async (name, content) => await s3.put(name, content),
		placeFolder: async (name) => await s3.put(`${name}/`, Buffer.alloc(0)),
		spoil: async (how) => s3.addFault(uploadFaults[how]),
		close: async () => await s3.close(),
	};
}

export async function sftpArchive(): Promise<Archive> {
	const sftp = await startSftp();
	return {
		configured() {
			const workflow = readWorkflow('archive-to-sftp');
			for (const name of ['Upload recording by SFTP', 'Read recording back by SFTP']) {
				nodeOf(workflow, name).parameters.path =
					`=${sftp.folder}/calls {a,b} [c]/{{ $json.fileName }}`;
			}
			return workflow;
		},
		n8n: {},
		credentials: [sftp.credential],
		async files() {
			return (await sftp.files()).map((file) => ({ ...file, name: basename(file.name) }));
		},
		place: async (name, content) => await sftp.write(`calls {a,b} [c]/${name}`, content),
		placeFolder: async (name) => await sftp.write(`calls {a,b} [c]/${name}/.keep`, ''),
		async spoil(how) {
			// A server that refuses to close a file has all of it. The workflow tries five times.
			if (how !== 'refuse') await sftp.addFaults(uploadFaults[how]);
			else await sftp.addFaults(...Array(5).fill({ ...uploadFaults.refuse, on: 'open' }));
		},
		close: async () => await sftp.close(),
	};
}

/** @param shared a stand-in that others use too; by default one of its own */
export async function googleDriveArchive(shared?: GoogleDrive): Promise<Archive> {
	const drive = shared ?? (await startGoogleDrive());
	const folder = drive.addFolder('Call recordings');
	return {
		configured() {
			const workflow = readWorkflow('archive-to-google-drive');
			nodeOf(workflow, 'Upload recording to Google Drive').parameters.folderId = {
				__rl: true,
				mode: 'id',
				value: folder,
			};
			return workflow;
		},
		n8n: { env: drive.env },
		credentials: [drive.oauthCredential()],
		async files() {
			return drive
				.files()
				.filter(({ trashed }) => !trashed)
				.map(({ name, content }) => ({ name, content }));
		},
		place: async (name, content) => drive.addFile(name, content, { parents: [folder] }),
		async placeFolder(name) {
			drive.addFolder(name, folder);
		},
		spoil: async (how) => drive.addFault(uploadFaults[how]),
		close: async () => await drive.close(),
	};
}

export type ArchiveName =
	| 'archive-to-folder'
	| 'archive-to-google-drive'
	| 'archive-to-s3'
	| 'archive-to-sftp';

/** Starts an archive, by the name of its workflow. `folder` is the parent of a folder archive. */
export const startArchive: Record<ArchiveName, (folder?: string) => Promise<Archive>> = {
	'archive-to-folder': folderArchive,
	'archive-to-google-drive': async () => await googleDriveArchive(),
	'archive-to-s3': s3Archive,
	'archive-to-sftp': sftpArchive,
};

/** Those that can be started on this machine. */
export const archiveNames = (Object.keys(startArchive) as ArchiveName[]).filter(
	(name) => name !== 'archive-to-sftp' || missingOpenSsh() === false,
);
