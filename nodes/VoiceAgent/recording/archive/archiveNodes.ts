import type { INodeParameters } from 'n8n-workflow';

/** What reads an archive: nodes of n8n, each with the one operation that does. Nothing else is proof. */

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

/** Their output says `sha256Checksum` and `size` of a file in the archive (Google Drive API v3, resource File). */
const REPORTERS: readonly ArchiveNode[] = [
	{ type: 'googleDrive', resource: 'file', operation: 'upload' },
	{ type: 'googleDrive', resource: 'fileFolder', operation: 'search' },
];

/** HTTP Request reads whatever its address leads to: see writtenAddress.ts. */
export const HTTP_REQUEST = `${PACKAGE}httpRequest`;

interface Asked {
	type: string;
	parameters: INodeParameters;
}

/** Whether a node, by its type and operation, outputs files that it has read from an archive. */
export function readsFiles(node: Asked): boolean {
	return FILE_READERS.some((one) => isOne(node, one));
}

/** Whether a node, by its type and operation, outputs the checksums that an archive reports. */
export function reportsChecksums(node: Asked): boolean {
	return REPORTERS.some((one) => isOne(node, one));
}

function isOne({ type, parameters }: Asked, listed: ArchiveNode): boolean {
	return (
		type === `${PACKAGE}${listed.type}` &&
		// An expression is not the name of an operation.
		parameters.resource === listed.resource &&
		parameters.operation === listed.operation
	);
}
