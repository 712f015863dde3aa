import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { VoiceAgentError } from '../../../errors';
import { chunksOf } from '../file/binary';
import { HTTP_REQUEST, readsFiles, reportsChecksums } from './archiveNodes';
import { type DownloadedFile, downloadedFiles, type FileIdentity } from './downloads';
import { type Evidence, evidenceIn, type Maker, makers } from './evidence';
import { freshnessOf } from './freshness';
import { type Step, stepsTo } from './history';
import { whyNotWritten } from './writtenAddress';

/**
 * The proof that a recording is archived. It is an allow-list: a file or a checksum is proof only if one node has made it,
 * if that node is one that reads an archive, and if it has done so in this execution. Whatever is not known is no proof.
 */

/** An evidence that comes from the archive, and the nodes that have asked it. */
interface Proof {
	evidence: Evidence;
	askedBy: readonly Maker[];
}

/**
 * Makes sure that the archive has each file of a session that any Download node before this one has output.
 *
 * @param items the indexes of the input items about this session
 * @returns the files, the recording first
 * @throws VoiceAgentError `notArchived`, `proofOutdated` or `proofFailed`, with the node and the condition
 */
export async function requireArchived(
	context: IExecuteFunctions,
	sessionGuid: string,
	items: readonly number[],
): Promise<readonly [recording: DownloadedFile, ...others: DownloadedFile[]]> {
	const files = downloadedFiles(context, sessionGuid);
	const recording = files.find(({ isRecording }) => isRecording);
	if (!recording) throw new VoiceAgentError('notArchived');
	const pinned = files.find(({ isPinned }) => isPinned);
	if (pinned) throw notArchived(`the output of '${pinned.by}' is pinned`);

	const archived: FileIdentity[] = [];
	const isFresh = freshnessOf(context, sessionGuid);
	for (const index of items) {
		for (const { evidence, askedBy } of proofsOf(context, index)) {
			for (const { node, run } of askedBy) {
				if (await isFresh(node.name, run)) continue;
				const detail = `'${node.name}' has not run in this execution`;
				throw new VoiceAgentError('proofOutdated', { detail });
			}
			archived.push(evidence.report ?? (await identityOf(context, evidence.file)));
		}
	}
	requireEach(files, archived);
	return [recording, ...files.filter((file) => file !== recording)];
}

/** @throws VoiceAgentError `proofFailed` or `notArchived` if the archive lacks one of the files */
function requireEach(files: readonly DownloadedFile[], archived: readonly FileIdentity[]): void {
	for (const [position, file] of files.entries()) {
		if (archived.some((one) => difference(file, one) === undefined)) continue;
		// Files and proofs usually come in the same order, so this one is the most likely counterpart.
		const counterpart = archived[position];
		if (counterpart) {
			throw new VoiceAgentError('proofFailed', { detail: difference(file, counterpart) });
		}
		const what = file.isRecording ? 'recording' : 'metadata file';
		throw notArchived(
			`nothing shows that the archive has the ${what} that '${file.by}' has output`,
		);
	}
}

/**
 * What the archive has of an item: the proofs of the last step on its way that has any. What an archive said before that
 * may no longer be so.
 *
 * @throws VoiceAgentError `notArchived`, with the node and the condition
 */
function proofsOf(context: IExecuteFunctions, itemIndex: number): Proof[] {
	const steps = stepsTo(context, itemIndex);
	const input: unknown = context.getInputData()[itemIndex];
	const latestFirst = [...steps.map(({ item }) => item), input].reverse();
	const refused: string[] = [];
	for (const item of latestFirst) {
		const proofs: Proof[] = [];
		for (const evidence of evidenceIn(item)) {
			const askedBy = makers(context).get(evidence.key) ?? [];
			const why = whyNoProof(context, itemIndex, evidence, askedBy, steps);
			if (why === undefined) proofs.push({ evidence, askedBy });
			else refused.push(why);
		}
		if (proofs.length === 0) continue;
		if (jsonOfItem(item).trashed === true) throw notArchived('it is in the bin');
		return proofs;
	}
	throw notArchived(refused[0] ?? whyNothing(steps, input));
}

/** Why an evidence is no proof; `undefined` if it is. */
function whyNoProof(
	context: IExecuteFunctions,
	itemIndex: number,
	{ report }: Evidence,
	madeBy: readonly Maker[],
	steps: readonly Step[],
): string | undefined {
	if (madeBy.length === 0) return 'each node before this one may have got it from another one';
	for (const { node } of madeBy) {
		if (node.isPinned) return `the output of '${node.name}' is pinned`;
		if (report ? reportsChecksums(node) : readsFiles(node)) continue;
		const isRequest = !report && node.type === HTTP_REQUEST;
		if (!isRequest) return `'${node.name}' has made it, and does not ask the archive`;
		const why = whyNotWritten(context, itemIndex, node, steps);
		if (why !== undefined) return why;
	}
	return undefined;
}

/** Why an item has no evidence at all. */
function whyNothing(steps: readonly Step[], input: unknown): string {
	const errors = [...steps.map(({ item }) => item), input].map((item) => jsonOfItem(item).error);
	const texts = errors.map((error) => (isJsonObject(error) ? error.message : error));
	const failure = texts.find((text) => typeof text === 'string' && text !== '');
	if (failure !== undefined) return String(failure);
	const off = steps.find(({ node }) => node.isDisabled);
	if (off) return `'${off.node.name}' is deactivated`;
	return "the input item has neither 'sha256Checksum' and 'size' of the archive nor a file read back from it";
}

function difference(download: FileIdentity, archive: FileIdentity): string | undefined {
	for (const what of ['checksum', 'size'] as const) {
		if (download[what] !== archive[what]) {
			return `${what} ${download[what]} of the download, ${archive[what]} in the archive`;
		}
	}
	return undefined;
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
