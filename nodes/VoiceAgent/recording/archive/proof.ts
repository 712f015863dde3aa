import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { VoiceAgentError } from '../../../errors';
import { chunksOf } from '../file/binary';
import { HTTP_REQUEST, overwrites, whyNoFile, whyNoReport } from './archiveNodes';
import { type DownloadedFile, downloadedFiles, type FileIdentity } from './downloads';
import { type Evidence, evidenceIn, type Maker, makers } from './evidence';
import { isTelling } from './fileNames';
import { freshnessOf } from './freshness';
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
): Promise<readonly [recording: DownloadedFile, ...others: DownloadedFile[]]> {
	const files = downloadedFiles(context, sessionGuid);
	const recording = files.find(({ isRecording }) => isRecording);
	if (!recording) throw new VoiceAgentError('notArchived');
	const pinned = files.find(({ isPinned }) => isPinned);
	if (pinned) throw notArchived(`the output of '${pinned.by}' is pinned`);

	const isFresh = freshnessOf(context, sessionGuid);
	const archived: FileIdentity[] = [];
	for (const { evidence, askedBy } of items.flatMap((index) => proofsOf(context, index))) {
		if (!(await isFresh(askedBy))) {
			const detail = `'${askedBy.node.name}' has not run in this execution`;
			throw new VoiceAgentError('proofOutdated', { detail });
		}
		const { file } = evidence;
		if (file && overwrites(askedBy.node) && !isTelling(file, sessionGuid, files)) {
			throw notArchived(
				`'${askedBy.node.name}' has read '${file.fileName}', which the next call may overwrite: put the session GUID into the name`,
			);
		}
		archived.push(evidence.report ?? (await identityOf(context, evidence.file)));
	}
	requireEach(files, archived);
	return [recording, ...files.filter((file) => file !== recording)];
}

/** @throws VoiceAgentError `proofFailed` or `notArchived` if the archive lacks one of the files */
function requireEach(files: readonly DownloadedFile[], archived: readonly FileIdentity[]): void {
	const isArchived = (file: FileIdentity) =>
		archived.some((one) => difference(file, one) === undefined);
	const missing = files.find((file) => !isArchived(file));
	if (!missing) return;
	// What the archive has of no file is most likely what it has of this one.
	const others = archived.filter((one) => files.every((file) => difference(file, one)));
	const [other] = others;
	if (other) throw new VoiceAgentError('proofFailed', { detail: difference(missing, other) });
	const what = missing.isRecording ? 'recording' : 'metadata file';
	throw notArchived(
		`nothing shows that the archive has the ${what} that '${missing.by}' has output`,
	);
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
	const reasons: string[] = [];
	for (const item of latestFirst) {
		const judged = evidenceIn(item).map((one) => judge(context, itemIndex, one, steps));
		const proofs = judged.filter((one) => typeof one !== 'string');
		if (proofs.length > 0) return proofs;
		reasons.push(...judged.filter((one) => typeof one === 'string'));
	}
	throw notArchived(reasons[0] ?? whyNothing(steps, input));
}

/** The evidence as a proof, or why it is none. */
function judge(
	context: IExecuteFunctions,
	itemIndex: number,
	evidence: Evidence,
	steps: readonly Step[],
): Proof | string {
	const madeBy = makers(context).get(evidence.key) ?? [];
	const reasons: string[] = [];
	for (const maker of madeBy) {
		// A node behind it may repeat what it has made. One before it may have given it to it.
		const earlier = madeBy.find((one) => one !== maker && maker.node.before.has(one.node.name));
		const why = earlier
			? `'${earlier.node.name}' had it before '${maker.node.name}'`
			: whyNotAsked(context, itemIndex, evidence, maker, steps);
		if (why === undefined) return { evidence, askedBy: maker };
		reasons.push(why);
	}
	return reasons[0] ?? 'each node before this one may have got it from another one';
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
