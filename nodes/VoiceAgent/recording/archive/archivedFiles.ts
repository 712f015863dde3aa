import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { VoiceAgentError } from '../../../errors';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { chunksOf, isFromHere } from '../file/binary';
import type { FileIdentity } from './archiveProof';
import { difference, parseIdentity } from './archiveProof';
import type { Step } from './downloadedFiles';
import { downloadedBefore, filesOf, stepsTo } from './downloadedFiles';
import { freshnessOf } from './proofAge';

/** Nodes that output what an archive has calculated. Any other node may have copied it from the download. */
const REPORTING = /\.(?:googleDrive|httpRequest)$/;

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
	const archived: FileIdentity[][] = [];
	const problems: string[] = [];
	for (const index of items) {
		const steps = stepsTo(context, index);
		const witnesses = witnessesOf(steps);
		const problem = problemOf(steps, witnesses);
		if (problem) problems.push(problem);
		for (const { name } of problem ? [] : witnesses) {
			if (!(await isFresh(name))) throw new VoiceAgentError('proofOutdated');
		}
		archived.push(problem ? [] : await filesIn(context, steps.at(-1), witnesses));
	}
	const isMissing = (file: FileIdentity) =>
		archived.flat().every((one) => difference(file, one) !== undefined);
	const position = downloaded.findIndex(isMissing);
	const [file, counterpart] = [downloaded[position], archived[position]?.[0]];
	if (file && counterpart) {
		throw new VoiceAgentError('proofFailed', { detail: difference(file, counterpart) });
	}
	if (file) throw new VoiceAgentError('notArchived', { detail: problems[0] });
	return recording;
}

/** The nodes that have asked the archive: for what the last step has of it, the first one that had it. */
function witnessesOf(steps: readonly Step[]): Step[] {
	const proofs = [reportIn, readBackIn].filter((proof) => proof(steps.at(-1)).length > 0);
	const witnesses = proofs.flatMap((proof) => steps.find((step) => proof(step).length > 0) ?? []);
	return witnesses.filter((one) => REPORTING.test(one.type) || reportIn(one).length === 0);
}

/** Why an item proves nothing. */
function problemOf(steps: readonly Step[], witnesses: readonly Step[]): string | undefined {
	const pinned = steps.find(({ isPinned }) => isPinned);
	if (pinned) return `the output of '${pinned.name}' is pinned`;
	if (steps.some((step) => valueIn(step, 'trashed') === true)) return 'it is in the bin';
	if (witnesses.length > 0) return undefined;
	const error = steps.map(errorIn).find((text) => typeof text === 'string' && text !== '');
	if (error) return String(error);
	const deactivated = steps.find(({ disabled }) => disabled);
	return deactivated
		? `'${deactivated.name}' is deactivated`
		: "the input item has neither 'sha256Checksum' and 'size' of the archive nor a file read back from it";
}

/** What the archive has of an item: as it reports, or as its file was read back. */
async function filesIn(
	context: IExecuteFunctions,
	last: Step | undefined,
	witnesses: readonly Step[],
): Promise<FileIdentity[]> {
	const files: FileIdentity[] = [];
	if (witnesses.some((one) => reportIn(one).length > 0)) {
		files.push(parseIdentity(valueIn(last, 'sha256Checksum'), valueIn(last, 'size')));
	}
	for (const binary of readBackIn(last)) {
		const hash = createHash('sha256');
		let size = 0;
		for await (const chunk of await chunksOf(context, binary)) {
			hash.update(chunk);
			size += chunk.length;
		}
		files.push({ checksum: hash.digest('hex'), size: String(size) });
	}
	return files;
}

function reportIn(step: Step | undefined): unknown[] {
	return [valueIn(step, 'sha256Checksum')].filter((value) => value !== undefined);
}

/** Files that are not those of the download. */
function readBackIn(step: Step | undefined): IBinaryData[] {
	return filesOf(step?.item).filter((file) => !isFromHere(file));
}

function errorIn(step: Step): unknown {
	const error = valueIn(step, 'error');
	return isJsonObject(error) ? error.message : error;
}

function valueIn(step: Step | undefined, name: string): unknown {
	const json = jsonOfItem(step?.item);
	return isJsonObject(json) ? json[name] : undefined;
}
