import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../../errors';
import { canonicalSessionGuid, parseSessionGuid } from '../../../service/sessionGuid';
import type { FileIdentity } from './archiveProof';
import { difference, parseIdentity } from './archiveProof';
import { readBinary } from '../file/binary';
import { errorBefore } from './downloadedFiles';

/** Parameters of one item: a file of a recording in the archive. */
export interface FileValues {
	recording: unknown;
	proofFrom: 'checksum' | 'file';
	archiveChecksum: unknown;
	archiveSize: unknown;
	inputBinaryField: string;
}

/** An item about a session. */
export interface SessionItem {
	index: number;
	values: FileValues;
}

const sessionsByInput = new WeakMap<object, Map<string, SessionItem[]>>();

/**
 * The items about one session, such as a recording and its metadata.
 * @throws whatever the parameters of any item throw: an item that cannot be read may belong to this session
 */
export function itemsOfSession(
	context: IExecuteFunctions,
	sessionGuid: string,
	valuesAt: (itemIndex: number) => FileValues,
): SessionItem[] {
	const input = context.getInputData();
	let sessions = sessionsByInput.get(input);
	if (!sessions) {
		sessions = new Map();
		for (const index of input.keys()) {
			const values = valuesAt(index);
			const session = canonicalSessionGuid(parseSessionGuid(values.recording));
			sessions.set(session, [...(sessions.get(session) ?? []), { index, values }]);
		}
		sessionsByInput.set(input, sessions);
	}
	return sessions.get(canonicalSessionGuid(sessionGuid)) ?? [];
}

/**
 * Makes sure that the archive has each file that was downloaded.
 * @throws VoiceAgentError `proofFailed` or `notArchived`
 */
export async function requireArchived(
	context: IExecuteFunctions,
	items: readonly SessionItem[],
	downloaded: readonly FileIdentity[],
): Promise<void> {
	const archived: Array<FileIdentity | undefined> = [];
	for (const item of items) archived.push(await archivedFile(context, item));
	const isMissing = (file: FileIdentity) =>
		archived.every((one) => one === undefined || difference(file, one) !== undefined);
	const position = downloaded.findIndex(isMissing);
	const [file, counterpart] = [downloaded[position], archived[position]];
	if (file && counterpart) {
		throw new VoiceAgentError('proofFailed', { detail: difference(file, counterpart) });
	}
	if (file || downloaded.length === 0) {
		const errors = items.map(({ index }) => errorBefore(context, index));
		throw new VoiceAgentError('notArchived', { detail: errors.find(isGiven) });
	}
}

/** What the archive has: as it reports, or as its file was read back into the item. */
async function archivedFile(
	context: IExecuteFunctions,
	{ index, values }: SessionItem,
): Promise<FileIdentity | undefined> {
	if (values.proofFrom === 'checksum') {
		const { archiveChecksum, archiveSize } = values;
		return isGiven(archiveChecksum) ? parseIdentity(archiveChecksum, archiveSize) : undefined;
	}
	const { json = {}, binary } = context.getInputData()[index] ?? {};
	// In n8n's combined binary mode, the JSON of an item holds its files.
	if (binary === undefined && json._files === undefined) return undefined;
	const { chunks } = await readBinary(context, index, values.inputBinaryField);
	const hash = createHash('sha256');
	let size = 0;
	for await (const chunk of chunks) {
		hash.update(chunk);
		size += chunk.length;
	}
	return { checksum: hash.digest('hex'), size: String(size) };
}

function isGiven(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}
