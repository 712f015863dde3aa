import { randomUUID } from 'node:crypto';

import { isGuid } from '../../../service/sessionGuid';

/** A new GUID, spelled as this one. */
export function otherGuid(example = ''): string {
	const uuid = randomUUID();
	if (!isGuid(example)) return uuid;
	const cased = /[A-F]/.test(example) ? uuid.toUpperCase() : uuid;
	const grouped = example.includes('-') ? cased : cased.replaceAll('-', '');
	return example.startsWith('{') ? `{${grouped}}` : grouped;
}
