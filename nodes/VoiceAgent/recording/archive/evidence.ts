import type { IBinaryData } from 'n8n-workflow';

import { jsonOfItem } from '../../../data/json';
import { isFromHere } from '../file/binary';
import type { FileIdentity } from './downloads';
import {
	type Feeder,
	filesOf,
	type NodeBefore,
	nodesBefore,
	oncePerInput,
	type Output,
	outputs,
} from './history';

/**
 * What may be proof: a checksum that an item reports, or a file in it. The key tells it from any
 * other.
 */
export type Evidence =
	| { key: string; report: FileIdentity; file?: undefined }
	| { key: string; report?: undefined; file: IBinaryData };

/**
 * A node that has made an evidence, in which of its runs, and the item in which it has output it
 * first.
 */
export interface Maker {
	node: NodeBefore;
	run: number;
	item: unknown;
}

/**
 * The checksum and the files of an item. A file that Download itself has stored proves nothing
 * about an archive.
 */
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
 * The keys of all that an item has, also of files that Download has stored: a node that passes one
 * on may lose the mark of where it is from. A file in the item counts by its content, and there a
 * file that was read back is like the download.
 */
function keysIn(item: unknown): string[] {
	const stored = filesOf(item).filter(({ id }) => id !== undefined);
	return [...evidenceIn(item).map(({ key }) => key), ...stored.map(keyOf)];
}

/** What a node has output first with a key, and in which of its branches that key is. */
type FirstOutput = Output & { branches: Set<number> };

function firstOutputs(ofNode: readonly Output[]): Map<string, FirstOutput> {
	const byKey = new Map<string, FirstOutput>();
	for (const output of ofNode) {
		for (const key of keysIn(output.item)) {
			const first = byKey.get(key) ?? { ...output, branches: new Set() };
			first.branches.add(output.branch);
			byKey.set(key, first);
		}
	}
	return byKey;
}

/**
 * The nodes that have made each evidence, by its key: those that have output it while no node that
 * feeds them has.
 */
export const makers = oncePerInput((context): Map<string, Maker[]> => {
	const first = new Map<string, Map<string, FirstOutput>>();
	for (const [name, ofNode] of outputs(context)) first.set(name, firstOutputs(ofNode));
	const isFrom = ({ name, branch }: Feeder, key: string) => {
		const { branches } = first.get(name)?.get(key) ?? {};
		return branch === undefined ? branches !== undefined : branches?.has(branch) === true;
	};

	const byKey = new Map<string, Maker[]>();
	for (const node of nodesBefore(context)) {
		const feeders = node.feeders.filter(({ name }) => name !== node.name);
		for (const [key, { run, item }] of first.get(node.name) ?? []) {
			if (feeders.some((feeder) => isFrom(feeder, key))) continue;
			byKey.set(key, [...(byKey.get(key) ?? []), { node, run, item }]);
		}
	}
	return byKey;
});
