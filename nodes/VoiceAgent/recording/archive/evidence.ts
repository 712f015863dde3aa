import type { IBinaryData } from 'n8n-workflow';

import { jsonOfItem } from '../../../data/json';
import { isFromHere } from '../file/binary';
import type { FileIdentity } from './downloads';
import { addTo } from './grouped';
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
 * What may be proof, and which node has made it. Several nodes may output the same: the archive
 * that has made it, and those behind it that pass it on.
 */

/** The checksum and the size of a file in the archive, as an item reports them. */
interface Report {
	/** Tells it from any other evidence. */
	key: string;
	report: FileIdentity;
	file?: undefined;
}

/** A file in an item, which may have been read back from the archive. */
interface File {
	/** Tells it from any other evidence. */
	key: string;
	report?: undefined;
	file: IBinaryData;
}

export type Evidence = Report | File;

/** A node that has made an evidence. */
export interface Maker {
	node: NodeBefore;
	/** In which of its runs it has output it first. */
	run: number;
	/** The item in which it has output it first. */
	item: unknown;
}

/**
 * The checksum and the files of an item. A file that Download itself has stored proves nothing
 * about an archive.
 */
export function evidenceIn(item: unknown): Evidence[] {
	const found: Evidence[] = [];
	const report = reportIn(item);
	if (report) found.push({ key: `${report.checksum} ${report.size}`, report });
	for (const file of filesOf(item)) {
		if (!isFromHere(file)) found.push({ key: keyOf(file), file });
	}
	return found;
}

function reportIn(item: unknown): FileIdentity | undefined {
	const { sha256Checksum, size } = jsonOfItem(item);
	if (typeof sha256Checksum !== 'string') return undefined;
	// Anything else is not a size, although a list of one size looks like one as a text.
	if (typeof size !== 'string' && typeof size !== 'number') return undefined;
	return { checksum: sha256Checksum.toLowerCase(), size: String(size) };
}

/** Where n8n keeps the file; if it keeps it in the item, its content. */
function keyOf({ id, data }: IBinaryData): string {
	return id ?? data;
}

/**
 * The keys of all that an item has, also of files that Download has stored: a node that passes one
 * on may lose the mark of where it is from.
 *
 * That holds only for files with a place of their own. If n8n keeps files in the item, a file that
 * was read back has the same key as the download, because it has the same content.
 */
function keysIn(item: unknown): string[] {
	const placed = filesOf(item).filter(({ id }) => id !== undefined);
	return [...evidenceIn(item).map(({ key }) => key), ...placed.map(keyOf)];
}

/** How a node has output one key. */
interface Occurrence {
	/** In which of its runs first, and in which item. */
	run: number;
	item: unknown;
	/** All its branches that have output it. */
	branches: Set<number>;
}

function occurrencesIn(ofNode: readonly Output[]): Map<string, Occurrence> {
	const byKey = new Map<string, Occurrence>();
	for (const { run, branch, item } of ofNode) {
		for (const key of keysIn(item)) {
			const known = byKey.get(key);
			if (known) known.branches.add(branch);
			else byKey.set(key, { run, item, branches: new Set([branch]) });
		}
	}
	return byKey;
}

/**
 * The nodes that have made each evidence, by its key: those that have output it although none of
 * the nodes that feed them has.
 */
export const makers = oncePerInput((context): Map<string, Maker[]> => {
	const byNode = new Map<string, Map<string, Occurrence>>();
	for (const [name, ofNode] of outputs(context)) byNode.set(name, occurrencesIn(ofNode));

	const makersByKey = new Map<string, Maker[]>();
	for (const node of nodesBefore(context)) {
		// What a node has given to itself, in a loop, it has made.
		const feeders = node.feeders.filter(({ name }) => name !== node.name);
		for (const [key, { run, item }] of byNode.get(node.name) ?? []) {
			const mayBePassedOn = feeders.some((feeder) =>
				mayHaveFed(feeder, byNode.get(feeder.name)?.get(key)),
			);
			if (!mayBePassedOn) addTo(makersByKey, key, { node, run, item });
		}
	}
	return makersByKey;
});

/** Whether a node may have got a key from a feeder that has output it like this. */
function mayHaveFed({ branch }: Feeder, occurrence: Occurrence | undefined): boolean {
	if (!occurrence) return false;
	// Any branch of the feeder may lead to the node.
	if (branch === undefined) return true;
	return occurrence.branches.has(branch);
}
