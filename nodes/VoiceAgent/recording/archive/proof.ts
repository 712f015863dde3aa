import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { VoiceAgentError } from '../../../errors';
import { chunksOf } from '../file/binary';
import { howToTell, isTelling } from '../file/tellingNames';
import { HTTP_REQUEST, replacesFiles, whyNoFile, whyNoReport } from './archiveNodes';
import {
	type DownloadedFile,
	downloadedFiles,
	type FileIdentity,
	type FilesOfSession,
} from './downloads';
import { type Evidence, evidenceIn, type Maker, makers } from './evidence';
import { isFresh } from './freshness';
import { type Step, stepsTo } from './history';
import { whyNotWritten } from './writtenAddress';

/**
 * The proof that a recording is archived. It is an allow-list: a file or a checksum is proof only
 * if one node has made it, if that node is one that reads an archive, and if it has done so in this
 * execution. Whatever is not known is no proof.
 */

/** An evidence that comes from the archive, and the node that has asked it. */
interface Proof {
	evidence: Evidence;
	askedBy: Maker;
}

/** Why an evidence is no proof, in words. */
interface NoProof {
	why: string;
}

/**
 * Makes sure that the archive has each file of a session that any Download node before this one has
 * output.
 *
 * @param items the indexes of the input items about this session
 * @returns the files, the recording first
 * @throws VoiceAgentError `notArchived`, `proofOutdated` or `proofFailed`, with the node and the
 * condition
 */
export async function requireArchived(
	context: IExecuteFunctions,
	sessionGuid: string,
	items: readonly number[],
): Promise<FilesOfSession> {
	const files = downloadedFiles(context, sessionGuid);
	const recording = files.find(({ isRecording }) => isRecording);
	// Without a recording of Download, there is nothing to compare the archive with.
	if (!recording) throw new VoiceAgentError('notArchived');
	// What a person has pinned may be of another day.
	const pinned = files.find(({ isPinned }) => isPinned);
	if (pinned) throw notArchived(`the output of '${pinned.by}' is pinned`);

	const proofs = items.flatMap((index) => proofsOf(context, index));
	const archived: FileIdentity[] = [];
	for (const { evidence, askedBy } of proofs) {
		if (!(await isFresh(context, sessionGuid, askedBy))) {
			const detail = `'${askedBy.node.name}' has not run in this execution`;
			throw new VoiceAgentError('proofOutdated', { detail });
		}
		if (evidence.file) requireTellingFile(evidence.file, askedBy, sessionGuid, files);
		archived.push(evidence.report ?? (await identityOf(context, evidence.file)));
	}
	requireEach(files, archived);
	return [recording, ...files.filter((file) => file !== recording)];
}

/** @throws VoiceAgentError `notArchived` if the next call may replace a file that was read back */
function requireTellingFile(
	file: IBinaryData,
	{ node }: Maker,
	sessionGuid: string,
	files: readonly DownloadedFile[],
): void {
	if (!replacesFiles(node) || isTelling(file, sessionGuid, files)) return;
	throw notArchived(
		`'${node.name}' has read '${file.fileName}', which the next call may overwrite: ${howToTell(sessionGuid)}`,
	);
}

/** @throws VoiceAgentError `proofFailed` or `notArchived` if the archive lacks one of the files */
function requireEach(files: readonly DownloadedFile[], archived: readonly FileIdentity[]): void {
	const missing = files.find((file) => archived.every((one) => difference(file, one)));
	if (!missing) return;
	// What the archive has of no file is most likely what it has of this one.
	const other = archived.find((one) => files.every((file) => difference(file, one)));
	if (other) throw new VoiceAgentError('proofFailed', { detail: difference(missing, other) });
	const what = missing.isRecording ? 'recording' : 'metadata file';
	throw notArchived(
		`nothing shows that the archive has the ${what} that '${missing.by}' has output`,
	);
}

/** In words, how what the archive has differs from a download; `undefined` if it does not. */
function difference(download: FileIdentity, archive: FileIdentity): string | undefined {
	if (download.checksum !== archive.checksum) {
		return `checksum ${download.checksum} of the download, ${archive.checksum} in the archive`;
	}
	if (download.size !== archive.size) {
		return `size ${download.size} of the download, ${archive.size} in the archive`;
	}
	return undefined;
}

/**
 * What the archive has of an item: the proofs of the last step on its way that has any. What an
 * archive said before that may no longer be so.
 *
 * @throws VoiceAgentError `notArchived`, with the node and the condition
 */
function proofsOf(context: IExecuteFunctions, itemIndex: number): Proof[] {
	const steps = stepsTo(context, itemIndex);
	const input: unknown = context.getInputData()[itemIndex];
	const latestFirst = [...steps.map(({ item }) => item), input].reverse();
	let why: string | undefined;
	for (const item of latestFirst) {
		const proofs: Proof[] = [];
		for (const evidence of evidenceIn(item)) {
			const verdict = judge(context, itemIndex, evidence, steps);
			if ('why' in verdict) why ??= verdict.why;
			else proofs.push(verdict);
		}
		if (proofs.length > 0) return proofs;
	}
	throw notArchived(why ?? whyNothing(steps, input));
}

/** The evidence as a proof, or why it is none. */
function judge(
	context: IExecuteFunctions,
	itemIndex: number,
	evidence: Evidence,
	steps: readonly Step[],
): Proof | NoProof {
	const madeBy = makers(context).get(evidence.key) ?? [];
	let why: string | undefined;
	for (const maker of madeBy) {
		const whyNot =
			whyNotFirst(maker, madeBy) ?? whyNotAsked(context, itemIndex, evidence, maker, steps);
		if (whyNot === undefined) return { evidence, askedBy: maker };
		why ??= whyNot;
	}
	return { why: why ?? 'each node before this one may have got it from another one' };
}

/**
 * Why a node may have got what it has output from one far before it; `undefined` if no node before
 * it has made the same. A node behind it may: that one repeats what it has made.
 */
function whyNotFirst(maker: Maker, madeBy: readonly Maker[]): string | undefined {
	const earlier = madeBy.find((one) => one !== maker && maker.node.before.has(one.node.name));
	return earlier && `'${earlier.node.name}' had it before '${maker.node.name}'`;
}

/** Why what a node has made is nothing of the archive; `undefined` if it is. */
function whyNotAsked(
	context: IExecuteFunctions,
	itemIndex: number,
	{ report }: Evidence,
	{ node, item }: Maker,
	steps: readonly Step[],
): string | undefined {
	if (node.isPinned) return `the output of '${node.name}' is pinned`;
	if (node.isDisabled) return `'${node.name}' is deactivated`;
	if (report) return whyNoReport(node, jsonOfItem(item));
	if (node.type === HTTP_REQUEST) return whyNotWritten(context, itemIndex, node, steps);
	return whyNoFile(node);
}

/** Why an item has no evidence at all: an error before it, a node that is off, or neither. */
function whyNothing(steps: readonly Step[], input: unknown): string {
	for (const item of [...steps.map((step) => step.item), input]) {
		const { error } = jsonOfItem(item);
		const text = isJsonObject(error) ? error.message : error;
		if (typeof text === 'string' && text !== '') return text;
	}
	const off = steps.find(({ node }) => node.isDisabled);
	if (off) return `'${off.node.name}' is deactivated`;
	return "the input item has neither 'sha256Checksum' and 'size' of the archive nor a file read back from it";
}

async function identityOf(context: IExecuteFunctions, file: IBinaryData): Promise<FileIdentity> {
	const hash = createHash('sha256');
	let size = 0;
	for await (const chunk of await chunksOf(context, file)) {
		hash.update(chunk);
		size += chunk.length;
	}
	return { checksum: hash.digest('hex'), size: String(size) };
}

function notArchived(detail: string): VoiceAgentError {
	return new VoiceAgentError('notArchived', { detail });
}
