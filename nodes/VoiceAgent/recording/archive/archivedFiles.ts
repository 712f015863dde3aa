import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject } from '../../../data/json';
import { VoiceAgentError } from '../../../errors';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { chunksOf, isFromHere } from '../file/binary';
import type { FileIdentity, Step } from './downloadedFiles';
import { downloadedBefore, filesOf, stepsTo, valueIn } from './downloadedFiles';
import { freshnessOf } from './proofAge';

/** Nodes that output what an archive has calculated. Any other node may have copied it from the download. */
const REPORTING = /\.(?:googleDrive|httpRequest)$/;
/** Puts out a row in the place of what the archive has. */
const LEDGER = /\.dataTable$/;

const indexesByInput = new WeakMap<object, Map<string, number[]>>();

/**
 * The indexes of the items about one session, such as a recording and its metadata.
 * @throws whatever `guidAt` throws for any item: one that cannot be read may belong to this session
 */
export function itemsOfSession(
	context: IExecuteFunctions,
	sessionGuid: string,
	guidAt: (itemIndex: number) => string,
): number[] {
	const input = context.getInputData();
	let sessions = indexesByInput.get(input);
	if (!sessions) {
		sessions = new Map();
		for (const index of input.keys()) {
			const session = canonicalSessionGuid(guidAt(index));
			sessions.set(session, [...(sessions.get(session) ?? []), index]);
		}
		indexesByInput.set(input, sessions);
	}
	return sessions.get(canonicalSessionGuid(sessionGuid)) ?? [];
}

/**
 * Makes sure that the archive has each file that was downloaded.
 * @returns the recording
 * @throws VoiceAgentError `proofFailed`, `proofOutdated` or `notArchived`
 */
export async function requireArchived(
	context: IExecuteFunctions,
	sessionGuid: string,
	items: readonly number[],
): Promise<FileIdentity> {
	const downloaded = downloadedBefore(context, sessionGuid);
	const [recording] = downloaded;
	if (!recording) throw new VoiceAgentError('notArchived');
	const isFresh = freshnessOf(context, sessionGuid);
	const archived: FileIdentity[] = [];
	for (const index of items) {
		const { by, files } = proofIn(stepsTo(context, index));
		if (!(await isFresh(by))) throw new VoiceAgentError('proofOutdated');
		for (const file of files) {
			archived.push('checksum' in file ? (file as FileIdentity) : await identityOf(context, file));
		}
	}
	const position = downloaded.findIndex((file) => archived.every((one) => difference(file, one)));
	const [file, counterpart] = [downloaded[position], archived[position]];
	if (file && counterpart) {
		throw new VoiceAgentError('proofFailed', { detail: difference(file, counterpart) });
	}
	if (file) throw new VoiceAgentError('notArchived');
	return recording;
}

/**
 * What the archive has of an item, as it reports or as it was read back, and the first node that had it.
 * @throws VoiceAgentError `notArchived`, with the reason
 */
function proofIn(steps: readonly Step[]): { by: string; files: Array<FileIdentity | IBinaryData> } {
	const last = steps.filter(({ type }) => !LEDGER.test(type)).at(-1);
	const pinned = steps.find(({ isPinned }) => isPinned);
	const isBinned = steps.some((step) => valueIn(step, 'trashed') === true);
	const reporter = steps.find((step) => reportIn(step).length > 0);
	const isReported = reporter && REPORTING.test(reporter.type) && reportIn(last).length > 0;
	const reader = steps.find((step) => readBackIn(step).length > 0);
	const files = isReported ? reportIn(last) : readBackIn(last);
	const { name: by } = (isReported ? reporter : reader) ?? {};
	if (!pinned && !isBinned && by !== undefined && files.length > 0) return { by, files };
	const errors = steps.map((step) => valueIn(step, 'error'));
	const texts = errors.map((error) => (isJsonObject(error) ? error.message : error));
	const off = steps.find(({ disabled }) => disabled);
	const detail =
		(pinned && `the output of '${pinned.name}' is pinned`) ||
		(isBinned && 'it is in the bin') ||
		texts.find((text) => typeof text === 'string' && text !== '') ||
		(off && `'${off.name}' is deactivated`) ||
		"the input item has neither 'sha256Checksum' and 'size' of the archive nor a file read back from it";
	throw new VoiceAgentError('notArchived', { detail: detail as string });
}

function difference(download: FileIdentity, archive: FileIdentity): string | undefined {
	for (const what of ['checksum', 'size'] as const) {
		if (download[what] === archive[what]) continue;
		return `${what} ${download[what]} of the download, ${archive[what]} in the archive`;
	}
	return undefined;
}

async function identityOf(context: IExecuteFunctions, binary: IBinaryData): Promise<FileIdentity> {
	const hash = createHash('sha256');
	let size = 0;
	for await (const chunk of await chunksOf(context, binary)) {
		hash.update(chunk);
		size += chunk.length;
	}
	return { checksum: hash.digest('hex'), size: String(size) };
}

function reportIn(step: Step | undefined): FileIdentity[] {
	const [checksum, size] = [valueIn(step, 'sha256Checksum'), valueIn(step, 'size')];
	if (typeof checksum !== 'string') return [];
	const isSize = typeof size === 'string' || typeof size === 'number';
	return [{ checksum: checksum.trim().toLowerCase(), size: isSize ? `${size}`.trim() : 'no size' }];
}

/** Files that are not those of the download. */
function readBackIn(step: Step | undefined): IBinaryData[] {
	return filesOf(step?.item).filter((file) => !isFromHere(file));
}
