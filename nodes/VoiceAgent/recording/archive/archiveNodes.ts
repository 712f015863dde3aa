import type { INodeParameters } from 'n8n-workflow';

import type { JsonObject } from '../../../data/json';
import type { Objection } from './objection';

/**
 * The nodes of n8n that read an archive, each with the one operation that does. What any other node
 * or operation says about an archive is no proof.
 */

interface ArchiveNode {
	/** The type of the node, without the name of n8n's package. */
	type: string;
	/** What a ledger calls the archive. */
	archive: string;
	/** As in the parameter of that name; left out if the node has none. */
	resource?: string;
	operation?: string;
	/** As in the parameter of that name, for a node that reads archives of several kinds. */
	protocol?: string;
	/** The parameter that says which file of the archive is read, if that is its path there. */
	address?: string;
}

const PACKAGE = 'n8n-nodes-base.';

/** They output a file that they have read from the archive. */
const FILE_READERS: readonly ArchiveNode[] = [
	{ type: 'awsS3', archive: 'S3', resource: 'file', operation: 'download', address: 'fileKey' },
	{
		type: 'azureStorage',
		archive: 'Azure Storage',
		resource: 'blob',
		operation: 'get',
	},
	{ type: 'box', archive: 'Box', resource: 'file', operation: 'download' },
	{ type: 'dropbox', archive: 'Dropbox', resource: 'file', operation: 'download', address: 'path' },
	{
		type: 'ftp',
		archive: 'SFTP',
		operation: 'download',
		protocol: 'sftp',
		address: 'path',
	},
	{ type: 'ftp', archive: 'FTP', operation: 'download', address: 'path' },
	{
		type: 'googleCloudStorage',
		archive: 'Google Cloud Storage',
		resource: 'object',
		operation: 'get',
		address: 'objectName',
	},
	{ type: 'googleDrive', archive: 'Google Drive', resource: 'file', operation: 'download' },
	{ type: 'microsoftOneDrive', archive: 'OneDrive', resource: 'file', operation: 'download' },
	{ type: 'microsoftSharePoint', archive: 'SharePoint', resource: 'file', operation: 'download' },
	{
		type: 'nextCloud',
		archive: 'Nextcloud',
		resource: 'file',
		operation: 'download',
		address: 'path',
	},
	{ type: 'readBinaryFile', archive: 'Folder' },
	{ type: 'readBinaryFiles', archive: 'Folder' },
	{ type: 'readWriteFile', archive: 'Folder', operation: 'read' },
	{ type: 's3', archive: 'S3', resource: 'file', operation: 'download', address: 'fileKey' },
	{ type: 'ssh', archive: 'SSH', resource: 'file', operation: 'download', address: 'path' },
];

/**
 * They output what Google Drive knows of a file, with its `sha256Checksum` and `size` (Google Drive
 * API v3, resource File).
 */
const DRIVE = { type: 'googleDrive', archive: 'Google Drive' };
const UPLOAD: ArchiveNode = { ...DRIVE, resource: 'file', operation: 'upload' };
const SEARCH: ArchiveNode = { ...DRIVE, resource: 'fileFolder', operation: 'search' };

/** HTTP Request reads whatever its address leads to. writtenAddress.ts says when that is proof. */
export const HTTP_REQUEST = `${PACKAGE}httpRequest`;

/** What says which operation a node does. */
interface Operation {
	type: string;
	parameters: INodeParameters;
}

interface NamedNode extends Operation {
	name: string;
}

/**
 * Whether a file in the archive is replaced by the next one of the same name, so that the name of a
 * file that was read back has to be looked at.
 *
 * Google Drive keeps both. HTTP Request gives names of its own: there, the address counts.
 */
export function replacesFiles({ type }: Operation): boolean {
	const keepsBoth = type === `${PACKAGE}googleDrive`;
	const isNamedByRequest = type === HTTP_REQUEST;
	return !keepsBoth && !isNamedByRequest;
}

/** A file counts only if the node that has made it is one that reads files from the archive. */
export function objectionToFile(node: NamedNode): Objection {
	const isReader = FILE_READERS.some((listed) => does(node, listed));
	return isReader ? undefined : doesNotAsk(node);
}

/**
 * A checksum counts only if the node that has made it is one that asks the archive, and if the file
 * is not in the bin of the archive.
 *
 * @param file what the node has output about the file
 */
export function objectionToReport(node: NamedNode, file: JsonObject): Objection {
	const isUpload = does(node, UPLOAD);
	const isSearch = does(node, SEARCH);
	if (!isUpload && !isSearch) return doesNotAsk(node);
	if (file.trashed === true) return `the file that '${node.name}' has found is in the bin`;
	// Google Drive keeps a deleted file in its bin for a while, and a search finds it there.
	if (isSearch && file.trashed !== false) {
		return `'${node.name}' does not say whether the file is in the bin: add 'trashed' to its fields`;
	}
	return undefined;
}

function doesNotAsk({ name }: NamedNode): string {
	return `'${name}' has made it, and does not ask the archive`;
}

/** What a ledger says of an archive. */
export interface KnownArchive {
	/** Such as `Folder` or `Google Drive`. */
	archive: string;
	/** The parameter with the path of the file in the archive, if the node has one. */
	address?: string;
}

/** The archive that a node has read, which has made a proof. */
export function archiveOf(node: Operation): KnownArchive {
	if (node.type === HTTP_REQUEST) {
		const { nodeCredentialType } = node.parameters;
		const isAws = typeof nodeCredentialType === 'string' && nodeCredentialType.startsWith('aws');
		return { archive: isAws ? 'S3' : 'HTTP', address: 'url' };
	}
	const known = [...FILE_READERS, UPLOAD, SEARCH].find((listed) => does(node, listed));
	return known ?? { archive: node.type };
}

/** Whether a node does what is listed. An expression is not the name of an operation. */
function does({ type, parameters }: Operation, listed: ArchiveNode): boolean {
	const isType = type === `${PACKAGE}${listed.type}`;
	const isResource = parameters.resource === listed.resource;
	const isOperation = parameters.operation === listed.operation;
	const isProtocol = listed.protocol === undefined || parameters.protocol === listed.protocol;
	return isType && isResource && isOperation && isProtocol;
}
