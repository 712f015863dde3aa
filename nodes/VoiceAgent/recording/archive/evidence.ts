import type { IBinaryData } from 'n8n-workflow';

import { jsonOfItem } from '../../../data/json';
import { isFromHere } from '../file/binary';
import type { FileIdentity } from './downloads';
import { filesOf, type NodeBefore, nodesBefore, oncePerInput, outputs } from './history';

/** What may be proof: a checksum that an item reports, or a file in it. The key tells it from any other. */
export type Evidence =
	| { key: string; report: FileIdentity; file?: undefined }
	| { key: string; report?: undefined; file: IBinaryData };

/** A node that has made an evidence, and in which of its runs. */
export interface Maker {
	node: NodeBefore;
	run: number;
}

/** The checksum and the files of an item. A file that Download itself has stored proves nothing about an archive. */
export function evidenceIn(item: unknown): Evidence[] {
	const found: Evidence[] = [];
	const { sha256Checksum, size } = jsonOfItem(item);
	const isSize = typeof size === 'string' || typeof size === 'number';
	if (typeof sha256Checksum === 'string' && isSize) {
		const report = { checksum: sha256Checksum.toLowerCase(), size: String(size) };
		found.push({ key: `${report.checksum} ${report.size}`, report });
	}
	for (const file of filesOf(item)) {
		if (!isFromHere(file)) found.push({ key: keyOf(file), file });
	}
	return found;
}

/** Where n8n keeps the file; if it keeps it in the item, its content. */
function keyOf({ id, data }: IBinaryData): string {
	return id ?? data;
}

/**
 * The keys of all that an item has, also of files that Download has stored: a node that passes one on may lose the mark of
 * where it is from. A file in the item counts by its content, and there a file that was read back is like the download.
 */
function keysIn(item: unknown): string[] {
	const stored = filesOf(item).filter(({ id }) => id !== undefined);
	return [...evidenceIn(item).map(({ key }) => key), ...stored.map(keyOf)];
}

/**
 * The nodes that have made each evidence, by its key: those that have output it while no node that feeds them has. A
 * deactivated node passes its input on, so it makes nothing.
 */
export const makers = oncePerInput((context): Map<string, Maker[]> => {
	/** In which of its runs a node has first output something, by its key. */
	const firstRuns = new Map<string, Map<string, number>>();
	for (const [name, items] of outputs(context)) {
		const ofNode = new Map<string, number>();
		for (const { run, item } of items) {
			for (const key of keysIn(item)) if (!ofNode.has(key)) ofNode.set(key, run);
		}
		firstRuns.set(name, ofNode);
	}

	const byKey = new Map<string, Maker[]>();
	for (const node of nodesBefore(context)) {
		const feeders = node.feeders.filter((name) => name !== node.name);
		for (const [key, run] of firstRuns.get(node.name) ?? []) {
			const isPassedOn = feeders.some((name) => firstRuns.get(name)?.has(key));
			if (!isPassedOn) byKey.set(key, [...(byKey.get(key) ?? []), { node, run }]);
		}
	}
	return byKey;
});
