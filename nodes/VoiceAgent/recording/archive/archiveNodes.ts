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
	/** As in the parameter of that name; left out if the node has none. */
	resource?: string;
	operation?: string;
}

const PACKAGE = 'n8n-nodes-base.';

/** They output a file that they have read from the archive. */
const FILE_READERS: readonly ArchiveNode[] = [
	{ type: 'awsS3', resource: 'file', operation: 'download' },
	{ type: 'azureStorage', resource: 'blob', operation: 'get' },
	{ type: 'box', resource: 'file', operation: 'download' },
	{ type: 'dropbox', resource: 'file', operation: 'download' },
	{ type: 'ftp', operation: 'download' },
	{ type: 'googleCloudStorage', resource: 'object', operation: 'get' },
	{ type: 'googleDrive', resource: 'file', operation: 'download' },
	{ type: 'microsoftOneDrive', resource: 'file', operation: 'download' },
	{ type: 'microsoftSharePoint', resource: 'file', operation: 'download' },
	{ type: 'nextCloud', resource: 'file', operation: 'download' },
	{ type: 'readBinaryFile' },
	{ type: 'readBinaryFiles' },
	{ type: 'readWriteFile', operation: 'read' },
	{ type: 's3', resource: 'file', operation: 'download' },
	{ type: 'ssh', resource: 'file', operation: 'download' },
];

/**
 * They output what Google Drive knows of a file, with its `sha256Checksum` and `size` (Google Drive
 * API v3, resource File).
 */
const UPLOAD: ArchiveNode = { type: 'googleDrive', resource: 'file', operation: 'upload' };
const SEARCH: ArchiveNode = { type: 'googleDrive', resource: 'fileFolder', operation: 'search' };

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

/** Whether a node does what is listed. An expression is not the name of an operation. */
function does({ type, parameters }: Operation, listed: ArchiveNode): boolean {
	const isType = type === `${PACKAGE}${listed.type}`;
	const isResource = parameters.resource === listed.resource;
	const isOperation = parameters.operation === listed.operation;
	return isType && isResource && isOperation;
}
