/** The order and the pages of a list of files. */
import { invalidParameter } from './apiError.mts';
import type { DriveFile } from './fileStore.mts';

/** Without an order, Drive tends to list the newest first. */
export function sorted(files: DriveFile[], orderBy = ''): DriveFile[] {
	const newestFirst = files.reverse();
	const keys = orderBy.split(',').filter((key) => key.trim() !== '');
	return newestFirst.sort((a, b) => {
		for (const key of keys) {
			const [field = '', direction] = key.trim().split(' ');
			const order = compare(field, a, b);
			if (order !== 0) return direction === 'desc' ? -order : order;
		}
		return 0;
	});
}

function compare(field: string, a: DriveFile, b: DriveFile): number {
	switch (field) {
		case 'createdTime':
		case 'modifiedTime':
			return a[field].localeCompare(b[field]);
		case 'name':
			return a.name.localeCompare(b.name);
		case 'name_natural':
			return a.name.localeCompare(b.name, 'en', { numeric: true });
		default:
			throw invalidParameter('orderBy');
	}
}

export const pageToken = (start: number) =>
	`~!!~${Buffer.from(String(start)).toString('base64url')}`;

export function pageStart(token: string): number {
	const start = Buffer.from(token.replace('~!!~', ''), 'base64url').toString();
	if (!token.startsWith('~!!~') || !/^\d+$/.test(start)) throw invalidParameter('pageToken');
	return Number(start);
}
