import type { IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { VoiceAgentError } from '../../../errors';
import { howToTell, isTelling } from '../file/tellingNames';
import { HTTP_REQUEST, objectionToFile, objectionToReport, replacesFiles } from './archiveNodes';
import {
	downloadedFiles,
	type FileIdentity,
	type FilesOfSession,
	type RecordedDownload,
} from './downloads';
import { type Evidence, evidenceIn, type Maker, makers } from './evidence';
import { isFresh } from './freshness';
import { identityOf } from './identity';
import { type Way, wayOf } from './history';
import { notArchived, type Objection } from './objection';
import { type Place, placeOf } from './place';
import { isSame, requireEach } from './requireEach';
import { objectionToAddress } from './writtenAddress';

/**
 * The proof that a recording is archived. It is an allow-list: a file or a checksum is proof only
 * if one node has made it, if that node is one that reads an archive, and if it has done so in this
 * execution. Whatever is not known is no proof.
 */

/** An evidence that comes from an archive. */
interface Proof {
	evidence: Evidence;
	way: Way;
	/** The nodes that have asked an archive for it. Parallel branches may have one each. */
	askedBy: readonly [Maker, ...Maker[]];
}

/** A file that the archive has. */
interface ArchivedFile extends FileIdentity {
	proof: Proof;
	/** The node that has asked the archive for it in this execution. */
	maker: Maker;
}

/** A session of which the archive has all files. */
export interface ArchivedSession extends Place {
	/** The recording first. `archive` and `file` say where it is. */
	files: FilesOfSession;
}

/** Why an evidence is no proof. */
interface NoProof {
	objection: string;
}

/**
 * Makes sure that the archive has each file of a session that any Download node before this one has
 * output.
 *
 * @param itemIndexes of the input items about this session
 * @throws VoiceAgentError `notArchived`, `proofOutdated` or `proofFailed`, with the node and the
 * condition
 */
export async function requireArchived(
	context: IExecuteFunctions,
	sessionGuid: string,
	itemIndexes: readonly number[],
): Promise<ArchivedSession> {
	const files = downloadedFiles(context, sessionGuid);
	// Several Download nodes may have output the recording. All of their files are compared with the
	// archive, and the first recording stands for them in the output of Delete.
	const recording = files.find(({ isRecording }) => isRecording);
	// Without a recording of Download, there is nothing to compare the archive with.
	if (!recording) throw new VoiceAgentError('notArchived');
	// Data that a person has pinned may be of another day.
	const pinned = files.find(({ isPinned }) => isPinned);
	if (pinned) throw notArchived(`the output of '${pinned.by}' is pinned`);

	const archived: ArchivedFile[] = [];
	for (const proof of itemIndexes.flatMap((index) => proofsOf(wayOf(context, index)))) {
		const maker = await requireFresh(context, sessionGuid, proof);
		const identity = await identityIn(context, proof.evidence, maker, { sessionGuid, files });
		archived.push({ ...identity, proof, maker });
	}
	requireEach(files, archived);
	const others = files.filter((file) => file !== recording);
	return { files: [recording, ...others], ...placeAmong(archived, recording) };
}

/** Where the archive has the recording. */
function placeAmong(archived: readonly ArchivedFile[], recording: RecordedDownload): Place {
	const found = archived.find((one) => isSame(recording, one));
	if (!found) throw notArchived('nothing shows where the archive has the recording');
	const { proof, maker } = found;
	return placeOf(proof.way, proof.evidence, maker, recording.fileName);
}

/**
 * @returns the first node that has asked an archive in this execution
 * @throws VoiceAgentError `proofOutdated` if no node has
 */
async function requireFresh(
	context: IExecuteFunctions,
	sessionGuid: string,
	{ askedBy }: Proof,
): Promise<Maker> {
	for (const maker of askedBy) {
		if (await isFresh(context, sessionGuid, maker)) return maker;
	}
	const detail = `'${askedBy[0].node.name}' has not run in this execution`;
	throw new VoiceAgentError('proofOutdated', { detail });
}

/**
 * The checksum and the size that an evidence shows.
 *
 * @throws VoiceAgentError `notArchived` if the next phone call may replace the file that was read
 * back
 */
async function identityIn(
	context: IExecuteFunctions,
	evidence: Evidence,
	{ node }: Maker,
	{ sessionGuid, files }: { sessionGuid: string; files: readonly RecordedDownload[] },
): Promise<FileIdentity> {
	if (evidence.kind === 'report') return evidence.report;
	const { file } = evidence;
	if (replacesFiles(node) && !isTelling(file, sessionGuid, files)) {
		throw notArchived(
			`'${node.name}' has read '${file.fileName}', which the next call may overwrite: ${howToTell(sessionGuid)}`,
		);
	}
	return await identityOf(context, file);
}

/**
 * What the archive has of an item: the proofs of the last step on its way that has any. What an
 * archive has said in an earlier step may no longer be so.
 *
 * Of archives in parallel branches, or in the same loop, any may count as the last step. Each of
 * them has been asked about this item, so that its answer is enough.
 *
 * @throws VoiceAgentError `notArchived`, with the node and the condition
 */
function proofsOf(way: Way): Proof[] {
	let objection: Objection;
	for (const item of itemsOf(way).reverse()) {
		const proofs: Proof[] = [];
		for (const evidence of evidenceIn(item)) {
			const verdict = judge(way, evidence);
			if ('objection' in verdict) objection ??= verdict.objection;
			else proofs.push(verdict);
		}
		if (proofs.length > 0) return proofs;
		// A step whose evidence is no proof contradicts no earlier one. Behind the archive, a node may
		// have added a file of its own, which says nothing about the archive.
	}
	throw notArchived(objection ?? whyWithoutEvidence(way));
}

/** What each step has made of an item, in the order of the steps, and the input item itself. */
function itemsOf({ context, itemIndex, steps }: Way): unknown[] {
	const input: unknown = context.getInputData()[itemIndex];
	return [...steps.map(({ item }) => item), input];
}

/** The evidence as a proof, or the first objection to it. */
function judge(way: Way, evidence: Evidence): Proof | NoProof {
	const madeBy = makers(way.context).get(evidence.key) ?? [];
	const askedBy: Maker[] = [];
	let firstObjection: Objection;
	for (const maker of madeBy) {
		const objection =
			objectionToLaterMaker(maker, madeBy) ?? objectionToMaker(way, evidence, maker);
		if (objection === undefined) askedBy.push(maker);
		else firstObjection ??= objection;
	}
	const [first, ...others] = askedBy;
	// One maker that has asked an archive is enough: the file is there, whoever else has made it.
	if (first) return { evidence, way, askedBy: [first, ...others] };
	return {
		objection: firstObjection ?? 'each node before this one may have got it from another one',
	};
}

/**
 * A node may have got an evidence from a node far before it, such as through an expression. Then
 * the nodes that feed it do not have the evidence, and it counts as one of its {@link makers}. So
 * of several makers, one that is behind another one proves nothing.
 *
 * No node is before itself, so the only maker of an evidence is never refused here. Two makers in
 * one loop are each behind the other. Nobody can tell which of them was first, so neither counts.
 */
function objectionToLaterMaker(maker: Maker, madeBy: readonly Maker[]): Objection {
	const earlier = madeBy.find(({ node }) => maker.node.before.has(node.name));
	return earlier && `'${earlier.node.name}' had it before '${maker.node.name}'`;
}

/** An evidence counts only if its maker is a node that has asked an archive. */
function objectionToMaker(way: Way, evidence: Evidence, { node, item }: Maker): Objection {
	if (node.isPinned) return `the output of '${node.name}' is pinned`;
	if (node.isDisabled) return `'${node.name}' is deactivated`;
	if (evidence.kind === 'report') return objectionToReport(node, jsonOfItem(item));
	if (node.type === HTTP_REQUEST) return objectionToAddress(way, node);
	return objectionToFile(node);
}

/** Why an item has no evidence at all: an error before it, a node that is off, or neither. */
function whyWithoutEvidence(way: Way): string {
	for (const item of itemsOf(way)) {
		const { error } = jsonOfItem(item);
		const text = isJsonObject(error) ? error.message : error;
		if (typeof text === 'string' && text !== '') return text;
	}
	const off = way.steps.find(({ node }) => node.isDisabled);
	if (off) return `'${off.node.name}' is deactivated`;
	return "no node before this one reads the file back from the archive, or reports its 'sha256Checksum' and 'size'";
}
