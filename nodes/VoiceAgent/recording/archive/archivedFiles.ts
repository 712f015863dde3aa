import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { VoiceAgentError } from '../../../errors';
import { serviceAccess } from '../../../service/http/transport';
import { RECORDINGS_PATH } from '../../../service/recordings';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { chunksOf, isFromHere } from '../file/binary';
import type { FileIdentity, Origin } from './downloadedFiles';
import {
	downloadedBefore,
	filesOf,
	freshnessOf,
	oncePerInput,
	originsOf,
	stepsTo,
} from './downloadedFiles';

/** Outputs what an archive has calculated. */
const REPORTING = 'googleDrive';
/** Read files from an archive. Any other node may have made its file from the download. */
const READING =
	'awsS3 azureStorage box dropbox ftp googleCloudStorage googleDrive httpRequest microsoftOneDrive microsoftSharePoint nextCloud readBinaryFile readBinaryFiles readWriteFile s3 ssh';
/** How a request says who it is: with the service's key, or with what may send any header: a credential, or an expression. */
const ACCESS = /header|auth|credential/i;
/** A header `Token`, or one that an expression names; as a field, and as a key in JSON or in an expression. */
const KEY = /"name":"(token"|=)|(?<![\w-])token['"\\\]]*\s*:|"voiceAgentApi"/i;
const ANY_HEADER = /"(http)?(Header|Custom)Auth"|(Headers|Json)","=\s*\{\{/i;
/** Puts out a row in the place of what the archive has. */
const LEDGER = 'n8n-nodes-base.dataTable';

const origins = oncePerInput((context) => originsOf(context, keysOf));

const indexesBySession = oncePerInput((context, guidAt: (itemIndex: number) => string) => {
	const indexes = new Map<string, number[]>();
	for (const index of context.getInputData().keys()) {
		const session = canonicalSessionGuid(guidAt(index));
		indexes.set(session, [...(indexes.get(session) ?? []), index]);
	}
	return indexes;
});

/**
 * The indexes of the items about one session, such as a recording and its metadata.
 * @throws whatever `guidAt` throws for any item: one that cannot be read may belong to this session
 */
export function itemsOfSession(
	context: IExecuteFunctions,
	sessionGuid: string,
	guidAt: (itemIndex: number) => string,
): number[] {
	return indexesBySession(context, guidAt).get(canonicalSessionGuid(sessionGuid)) ?? [];
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
	const { host } = new URL((await serviceAccess(context, items[0])).baseUrl);
	const isFresh = freshnessOf(context, sessionGuid);
	const archived: FileIdentity[] = [];
	for (const index of items) {
		for (const { by, file } of proofsIn(context, index, [host, RECORDINGS_PATH])) {
			if (!(await isFresh(by))) throw new VoiceAgentError('proofOutdated');
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

/** A checksum that a node has output, or a file, and the name of that node. */
interface Proof {
	by: string;
	file: FileIdentity | IBinaryData;
}

/**
 * What the archive has of an item, as it reports or as it was read back.
 * @throws VoiceAgentError `notArchived`, with the reason
 */
function proofsIn(context: IExecuteFunctions, itemIndex: number, ofService: string[]): Proof[] {
	const steps = stepsTo(context, itemIndex);
	const last = steps.filter(({ type }) => type !== LEDGER).slice(-1);
	const pinned = steps.find(({ isPinned }) => isPinned);
	const isBinned = steps.some(({ item }) => jsonOfItem(item).trashed === true);
	// Nodes pass on what others have output, and some make a copy of it: the first one that had it must have it from the archive.
	const files = last.flatMap(({ item }) => foundIn(item));
	const found = files.flatMap(([key, file]) => {
		const origin = origins(context).get(key);
		if (!origin) return [];
		const names = 'checksum' in file ? REPORTING : READING;
		return [{ by: origin.name, file, isProof: asksArchive(origin, names, ofService) }];
	});
	const proofs = found.filter(({ isProof }) => isProof);
	if (!pinned && !isBinned && proofs.length > 0) return proofs;
	const errors = steps.map(({ item }) => jsonOfItem(item).error);
	const texts = errors.map((error) => (isJsonObject(error) ? error.message : error));
	const off = steps.find(({ disabled }) => disabled);
	const detail =
		(pinned && `the output of '${pinned.name}' is pinned`) ||
		(isBinned && 'it is in the bin') ||
		texts.find((text) => typeof text === 'string' && text) ||
		(off && `'${off.name}' is deactivated`) ||
		(found[0] && `'${found[0].by}' does not ask the archive`) ||
		"the input item has neither 'sha256Checksum' and 'size' of the archive nor a file read back from it";
	throw new VoiceAgentError('notArchived', { detail: detail as string });
}

/** A request that sends something may get just that as its answer, and one to the service, whose host or key may be out of sight, the recording. */
function asksArchive({ type, parameters }: Origin, names: string, ofService: string[]): boolean {
	const { method = 'GET', requestMethod = 'GET', url, sendBody } = parameters;
	const isRead = method === 'GET' && requestMethod === 'GET' && !sendBody;
	const isKnown = names.split(' ').some((name) => type === `n8n-nodes-base.${name}`);
	const isToService = ofService.some((part) => String(url).toLowerCase().includes(part));
	const isHostKnown = /^=?https?:\/\/[^{}/]+(\/|$)/i.test(String(url));
	const access = JSON.stringify(Object.entries(parameters).filter(([name]) => ACCESS.test(name)));
	const hasKey = KEY.test(access) || (!isHostKnown && ANY_HEADER.test(access));
	return isKnown && isRead && !isToService && !hasKey;
}

function difference(download: FileIdentity, archive: FileIdentity): string | undefined {
	const what = (['checksum', 'size'] as const).find((one) => download[one] !== archive[one]);
	return what && `${what} ${download[what]} of the download, ${archive[what]} in the archive`;
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

/** The checksums and files of an item that are not those of the download, with what tells them from others. */
function foundIn(item: unknown): Array<[key: string, file: FileIdentity | IBinaryData]> {
	const { sha256Checksum, size = null } = jsonOfItem(item);
	const files = filesOf(item).filter((file) => !isFromHere(file));
	const found = files.map((file): [string, IBinaryData] => [file.id ?? file.data, file]);
	if (typeof sha256Checksum !== 'string') return found;
	const bytes = typeof size === 'object' ? 'no size' : String(size);
	const report = { checksum: sha256Checksum.toLowerCase(), size: bytes };
	return [[`${report.checksum} ${report.size}`, report], ...found];
}

const keysOf = (item: unknown) => foundIn(item).map(([key]) => key);
