/** What lies in one Google Drive, and how its API describes it. */
import { createHash, randomBytes } from 'node:crypto';

export const FOLDER = 'application/vnd.google-apps.folder';

const DEFAULT_FIELDS = 'kind,id,name,mimeType';

/** What a client says about a file. */
export interface Metadata {
	name?: string;
	mimeType?: string;
	parents?: string[];
	properties?: Record<string, string>;
	appProperties?: Record<string, string>;
	trashed?: boolean;
}

/** Fields as the API names them, and the content. Folders are without size and checksum. */
export interface DriveFile extends Metadata {
	kind: 'drive#file';
	id: string;
	name: string;
	mimeType: string;
	/** Ids of the folders it is in; never the alias `root`. */
	parents: string[];
	trashed: boolean;
	/** RFC 3339, with milliseconds. */
	createdTime: string;
	webViewLink: string;
	/** Bytes, as a decimal number. */
	size?: string;
	sha256Checksum?: string;
	content: Buffer;
}

/** The folder that the alias `root` stands for. */
export const ROOT_ID = '0AvoiceagentrootUk9PVA';

export function newFile(metadata: Metadata, content: Buffer): DriveFile {
	const id = `1${randomBytes(24).toString('base64url')}`;
	const file: DriveFile = {
		kind: 'drive#file',
		id,
		name: 'Untitled',
		mimeType: 'application/octet-stream',
		trashed: false,
		createdTime: new Date().toISOString(),
		webViewLink: `https://drive.google.com/file/d/${id}/view?usp=drivesdk`,
		...metadata,
		parents: (metadata.parents ?? ['root']).map(resolved),
		content,
	};
	if (file.mimeType === FOLDER) return file;
	file.size = String(content.length);
	file.sha256Checksum = createHash('sha256').update(content).digest('hex');
	return file;
}

/** The id that files carry, for the alias `root` too. */
export function resolved(id: string): string {
	return id === 'root' ? ROOT_ID : id;
}

/** @param fields names of fields, or `*`: without it, checksums and properties are missing as with Google */
export function described(file: DriveFile, fields = DEFAULT_FIELDS): object {
	const names = fields.split(',').map((name) => name.trim());
	const isAll = names.includes('*');
	const shown = Object.entries(file).filter(
		([name]) => name !== 'content' && (isAll || names.includes(name)),
	);
	return Object.fromEntries(shown) as object;
}
