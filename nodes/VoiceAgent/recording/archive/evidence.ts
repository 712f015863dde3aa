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
	type Output,
	outputs,
} from './history';
import { oncePerInput } from './oncePerInput';

/**
 * What may be proof, and which node has made it. Several nodes may output the same: the archive
 * that has made it, and those behind it that pass it on.
 */

/** The checksum and the size of a file in the archive, as an item reports them. */
interface ReportEvidence {
	kind: 'report';
	/** Tells this evidence from any other. */
	key: string;
	report: FileIdentity;
}

/** A file in an item, which may have been read back from the archive. */
interface FileEvidence {
	kind: 'file';
	/** Tells this evidence from any other. */
	key: string;
	file: IBinaryData;
}

export type Evidence = ReportEvidence | FileEvidence;

/** A node that has made an evidence. */
export interface Maker {
	node: NodeBefore;
	/** The first run of the node that has output the evidence. */
	run: number;
	/** The first item in which the node has output the evidence. */
	item: unknown;
}

/**
 * The checksum and the files of an item. A file that Download itself has stored proves nothing
 * about an archive, so it is left out.
 */
export function evidenceIn(item: unknown): Evidence[] {
	const found: Evidence[] = [];
	const report = reportIn(item);
	if (report) found.push({ kind: 'report', key: `${report.checksum} ${report.size}`, report });
	for (const file of filesOf(item)) {
		if (!isFromHere(file)) found.push({ kind: 'file', key: keyOf(file), file });
	}
	return found;
}

function reportIn(item: unknown): FileIdentity | undefined {
	const { sha256Checksum, size } = jsonOfItem(item);
	if (typeof sha256Checksum !== 'string') return undefined;
	// Nothing else is a size. As text, a list of one size would look like a size.
	if (typeof size !== 'string' && typeof size !== 'number') return undefined;
	return { checksum: sha256Checksum.toLowerCase(), size: String(size) };
}

/** The place where n8n keeps the file. If n8n keeps files in items: the content of the file. */
function keyOf({ id, data }: IBinaryData): string {
	return id ?? data;
}

/**
 * The keys that show that a node only passes something on: those of the evidence in an item, and
 * those of the files from Download, which are no evidence (see {@link isFromHere}).
 *
 * A node may drop the mark of a file from Download. Then the file becomes evidence there. But
 * Download had its key before, so the node proves nothing.
 *
 * If n8n keeps files in items, the files of Download are left out. The key is then the content, so
 * a file that was read back has the key of the download, and no archive would ever count as its
 * maker. A node that drops the mark does count as a maker then. What it has made is still no proof,
 * because proof.ts accepts only a maker that reads an archive.
 */
function passableKeysIn(item: unknown): string[] {
	const placed = filesOf(item).filter(({ id }) => id !== undefined);
	return [...evidenceIn(item).map(({ key }) => key), ...placed.map(keyOf)];
}

/** How a node has output one key. */
interface Occurrence {
	/** The first run of the node that has output the key. */
	run: number;
	/** The first item with the key. */
	item: unknown;
	/** All branches of the node that have output the key. */
	branches: Set<number>;
}

function occurrencesIn(ofNode: readonly Output[]): Map<string, Occurrence> {
	const byKey = new Map<string, Occurrence>();
	for (const { run, branch, item } of ofNode) {
		for (const key of passableKeysIn(item)) {
			const known = byKey.get(key);
			if (known) known.branches.add(branch);
			else byKey.set(key, { run, item, branches: new Set([branch]) });
		}
	}
	return byKey;
}

/**
 * The nodes that have made each evidence, by the key of the evidence. A node has made an evidence
 * if it has output it, and none of the nodes that are connected to its input has.
 *
 * Nodes farther before it are not looked at here. In a loop, all nodes are before each other: a
 * node that repeats the evidence of an archive is before that archive too. proof.ts looks at them,
 * among the makers only.
 */
export const makers = oncePerInput((context): Map<string, Maker[]> => {
	const byNode = new Map<string, Map<string, Occurrence>>();
	for (const [name, ofNode] of outputs(context)) byNode.set(name, occurrencesIn(ofNode));

	const makersByKey = new Map<string, Maker[]>();
	for (const node of nodesBefore(context)) {
		for (const [key, { run, item }] of byNode.get(node.name) ?? []) {
			const mayBePassedOn = node.feeders.some((feeder) =>
				mayHaveFed(feeder, byNode.get(feeder.name)?.get(key)),
			);
			if (!mayBePassedOn) addTo(makersByKey, key, { node, run, item });
		}
	}
	return makersByKey;
});

/** Whether a feeder may have given a key to a node, if the feeder has output the key like this. */
function mayHaveFed({ branch }: Feeder, occurrence: Occurrence | undefined): boolean {
	if (!occurrence) return false;
	// If the branch is not known, any branch of the feeder may lead to the node.
	if (branch === undefined) return true;
	return occurrence.branches.has(branch);
}
