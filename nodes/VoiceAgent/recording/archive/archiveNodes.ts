import type { INodeParameters } from 'n8n-workflow';

import type { JsonObject } from '../../../data/json';

/**
 * What reads an archive: nodes of n8n, each with the one operation that does. Nothing else is
 * proof.
 */

interface ArchiveNode {
	/** The type of the node, without the name of n8n's package. */
	type: string;
	/** As in the parameter of that name; left out if the node has none. */
	resource?: string;
	operation?: string;
}

const PACKAGE = 'n8n-nodes-base.';

/** Their output has a file that they have read from the archive. */
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
 * Their output says `sha256Checksum` and `size` of a file in the archive (Google Drive API v3,
 * resource File).
 */
const UPLOAD: ArchiveNode = { type: 'googleDrive', resource: 'file', operation: 'upload' };
const SEARCH: ArchiveNode = { type: 'googleDrive', resource: 'fileFolder', operation: 'search' };

/** HTTP Request reads whatever its address leads to: see writtenAddress.ts. */
export const HTTP_REQUEST = `${PACKAGE}httpRequest`;

interface Asked {
	type: string;
	parameters: INodeParameters;
}

/** Whether a file with a name that is there already takes its place. Google Drive keeps both. */
export function overwrites({ type }: Asked): boolean {
	return type !== `${PACKAGE}googleDrive` && type !== HTTP_REQUEST;
}

interface Named extends Asked {
	name: string;
}

/** Why a file that a node has output is not one of the archive; `undefined` if it is. */
export function whyNoFile(node: Named): string | undefined {
	return FILE_READERS.some((one) => isOne(node, one)) ? undefined : asksNot(node);
}

/**
 * Why a checksum that a node has output is not one of the archive; `undefined` if it is.
 *
 * @param file what the node has output about the file. Google Drive keeps a deleted file in its bin
 * for a while, and a search finds it there.
 */
export function whyNoReport(node: Named, file: JsonObject): string | undefined {
	const isSearch = isOne(node, SEARCH);
	if (!isSearch && !isOne(node, UPLOAD)) return asksNot(node);
	if (file.trashed === true) return `the file that '${node.name}' has found is in the bin`;
	if (!isSearch || file.trashed === false) return undefined;
	return `'${node.name}' does not say whether the file is in the bin: add 'trashed' to its fields`;
}

function asksNot({ name }: Named): string {
	return `'${name}' has made it, and does not ask the archive`;
}

function isOne({ type, parameters }: Asked, listed: ArchiveNode): boolean {
	return (
		type === `${PACKAGE}${listed.type}` &&
		// An expression is not the name of an operation.
		parameters.resource === listed.resource &&
		parameters.operation === listed.operation
	);
}
