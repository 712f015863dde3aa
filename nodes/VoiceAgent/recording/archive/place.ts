import type { IBinaryData } from 'n8n-workflow';

import { jsonOfItem } from '../../../data/json';
import { archiveOf, HTTP_REQUEST } from './archiveNodes';
import type { Evidence, Maker } from './evidence';
import type { Way } from './history';
import { parameterAsIn } from './movedExpression';
import { withoutQuery } from './writtenAddress';

/** Where an archive has a file, as a ledger notes it. */
export interface Place {
	/** Such as `Folder` or `Google Drive`. */
	archive: string;
	/** The address of the file in the archive: its path, key, name or URL. */
	file: string;
}

/**
 * Where the archive has the file that an evidence shows.
 *
 * @param fileName the path that Download gave to it
 */
export function placeOf(
	way: Way,
	evidence: Evidence,
	{ node, item }: Maker,
	fileName: string,
): Place {
	const { archive, address } = archiveOf(node);
	if (evidence.kind === 'report') {
		const { name } = jsonOfItem(item);
		return { archive, file: typeof name === 'string' ? name : fileName };
	}
	if (archive === 'Folder') return { archive, file: pathOf(evidence.file) };
	if (address === undefined) return { archive, file: fileName };
	const entered = parameterAsIn(node, address, way);
	if ('problem' in entered) return { archive, file: fileName };
	if (node.type !== HTTP_REQUEST) return { archive, file: entered.value };
	const url = withoutQuery(entered.value) ?? entered.value;
	return { archive, file: archive === 'S3' ? keyIn(url, fileName) : url };
}

/** The path of a file that a node has read from a folder. */
function pathOf({ directory, fileName = '' }: IBinaryData): string {
	return directory === undefined ? fileName : `${directory}/${fileName}`;
}

/**
 * The key of an object in a bucket, as Download has named it. Of a URL that does not end with that,
 * nobody knows where the bucket ends, so it is itself the address.
 */
function keyIn(url: string, fileName: string): string {
	return decoded(url).endsWith(`/${fileName}`) ? fileName : url;
}

function decoded(address: string): string {
	try {
		return decodeURIComponent(address);
	} catch {
		return address;
	}
}
