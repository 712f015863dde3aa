/** The files and folders of one Drive, in memory, and how its API describes them. */
import { createHash, randomBytes } from 'node:crypto';

import { ApiError, fileNotFound } from './apiError.mts';

export const FOLDER = 'application/vnd.google-apps.folder';

export interface DriveFile {
	id: string;
	name: string;
	mimeType: string;
	/** Ids of the folders it is in; never the alias `root`. */
	parents: string[];
	/** Bytes, as a decimal number. */
	size: string;
	/** Checksums in lower case hex. */
	md5Checksum: string;
	sha1Checksum: string;
	sha256Checksum: string;
	/** RFC 3339, with milliseconds. */
	createdTime: string;
	modifiedTime: string;
	trashed: boolean;
	content: Buffer;
	/** Everything else that a client has set. */
	more: Record<string, unknown>;
}

/** What a client sends about a file. */
export type Metadata = Record<string, unknown>;

/** Fields that a client may set. */
const writable = ['originalFilename', 'description', 'starred', 'properties', 'appProperties'];

export class FileStore {
	readonly rootId = `0A${randomBytes(10).toString('hex').slice(0, 11)}Uk9PVA`;
	/** Oldest first. */
	#files: DriveFile[];

	constructor() {
		const root = this.#make({ name: 'My Drive', mimeType: FOLDER }, Buffer.alloc(0));
		this.#files = [{ ...root, id: this.rootId, parents: [] }];
	}

	/** The id that files carry, for the alias `root` too. */
	resolve(id: string): string {
		return id === 'root' ? this.rootId : id;
	}

	all(): DriveFile[] {
		return [...this.#files];
	}

	/** @throws {ApiError} 404 */
	get(id: string): DriveFile {
		const file = this.#files.find((one) => one.id === this.resolve(id));
		if (file === undefined) throw fileNotFound(id);
		return file;
	}

	/**
	 * Several files may have the same name.
	 *
	 * @throws {ApiError} 404 for an unknown parent, 403 for several
	 */
	create(metadata: Metadata, content: Buffer): DriveFile {
		this.checkParents(metadata);
		const file = this.#make(metadata, content);
		this.#files.push(file);
		return file;
	}

	/** @throws {ApiError} as {@link create} */
	checkParents({ parents }: Metadata): void {
		if (!Array.isArray(parents)) return;
		for (const id of parents) this.get(String(id));
		if (parents.length > 1) throw tooManyParents();
	}

	/**
	 * @param query `addParents` and `removeParents`, separated by commas
	 * @throws {ApiError} 404 for an unknown parent, 403 for a second one and for writing `parents`
	 */
	update(id: string, metadata: Metadata, query: Record<string, string>): DriveFile {
		const file = this.get(id);
		if ('parents' in metadata) {
			throw new ApiError(
				403,
				'The parents field is not directly writable in update requests. Use the addParents and ' +
					'removeParents parameters instead.',
				{ reason: 'fieldNotWritable' },
			);
		}
		const ids = (list = '') => list.split(',').flatMap((one) => (one ? [this.get(one).id] : []));
		const removed = ids(query.removeParents);
		const parents = new Set(file.parents.filter((one) => !removed.includes(one)));
		for (const one of ids(query.addParents)) parents.add(one);
		if (parents.size > 1) throw tooManyParents();
		file.parents = [...parents];
		if (typeof metadata.name === 'string') file.name = metadata.name;
		if (typeof metadata.mimeType === 'string') file.mimeType = metadata.mimeType;
		if (typeof metadata.trashed === 'boolean') file.trashed = metadata.trashed;
		Object.assign(file.more, settable(metadata));
		file.modifiedTime = new Date().toISOString();
		return file;
	}

	/** For good. @throws {ApiError} 404 */
	delete(id: string): void {
		this.#files.splice(this.#files.indexOf(this.get(id)), 1);
	}

	/** Folders stay. */
	clear(): void {
		this.#files = this.#files.filter(({ mimeType }) => mimeType === FOLDER);
	}

	#make(metadata: Metadata, content: Buffer): DriveFile {
		const digest = (algorithm: string) => createHash(algorithm).update(content).digest('hex');
		const [parent = 'root'] = Array.isArray(metadata.parents) ? metadata.parents : [];
		const now = new Date().toISOString();
		return {
			id: `1${randomBytes(24).toString('base64url')}`,
			name: String(metadata.name ?? 'Untitled'),
			mimeType: String(metadata.mimeType ?? 'application/octet-stream'),
			parents: [this.resolve(String(parent))],
			size: String(content.length),
			md5Checksum: digest('md5'),
			sha1Checksum: digest('sha1'),
			sha256Checksum: digest('sha256'),
			createdTime: String(metadata.createdTime ?? now),
			modifiedTime: now,
			trashed: false,
			content,
			more: settable(metadata),
		};
	}
}

function settable(metadata: Metadata): Record<string, unknown> {
	return Object.fromEntries(Object.entries(metadata).filter(([name]) => writable.includes(name)));
}

const tooManyParents = () =>
	new ApiError(403, 'Increasing the number of parents is not allowed', {
		reason: 'cannotAddParent',
	});

/** A file as the API answers it with `fields=*`; what a folder has no value for is left out. */
export function resource(file: DriveFile): Record<string, unknown> {
	const { id, name, mimeType, parents, trashed, createdTime, modifiedTime, more } = file;
	const common = {
		kind: 'drive#file',
		id,
		name,
		mimeType,
		starred: false,
		trashed,
		explicitlyTrashed: trashed,
		parents,
		spaces: ['drive'],
		version: '1',
		createdTime,
		modifiedTime,
		ownedByMe: true,
		shared: false,
		...more,
	};
	if (mimeType === FOLDER) {
		return { ...common, webViewLink: `https://drive.google.com/drive/folders/${id}` };
	}
	const { size, md5Checksum, sha1Checksum, sha256Checksum } = file;
	return {
		originalFilename: name,
		...common,
		webViewLink: `https://drive.google.com/file/d/${id}/view?usp=drivesdk`,
		webContentLink: `https://drive.google.com/uc?id=${id}&export=download`,
		fileExtension: /\.([^.]+)$/.exec(name)?.[1] ?? '',
		size,
		quotaBytesUsed: size,
		md5Checksum,
		sha1Checksum,
		sha256Checksum,
		headRevisionId: `0B${id.slice(1, 20)}`,
	};
}

/** Every field of a file that Google documents. */
export const fileFields: ReadonlySet<string> = new Set(
	`appProperties capabilities contentHints contentRestrictions copyRequiresWriterPermission createdTime
	description downloadRestrictions driveId explicitlyTrashed exportLinks fileExtension folderColorRgb
	fullFileExtension hasAugmentedPermissions hasThumbnail headRevisionId iconLink id imageMediaMetadata
	inheritedPermissionsDisabled isAppAuthorized kind labelInfo lastModifyingUser linkShareMetadata
	md5Checksum mimeType modifiedByMe modifiedByMeTime modifiedTime name originalFilename ownedByMe owners
	parents permissionIds permissions properties quotaBytesUsed resourceKey sha1Checksum sha256Checksum
	shared sharedWithMeTime sharingUser shortcutDetails size spaces starred teamDriveId thumbnailLink
	thumbnailVersion trashed trashedTime trashingUser version videoMediaMetadata viewedByMe viewedByMeTime
	viewersCanCopyContent webContentLink webViewLink writersCanShare`.split(/\s+/),
);
