/** Reports about bytes of recordings: the cases `download` and `decrypt` of test/vectors/field. */
import type { TestContext } from 'node:test';

import { encrypt } from '../../emulator/src/recordings/encryption.mts';
import type { Execution } from '../../harness/n8n/n8n.mts';
import { NODE, type PinnedItem, START } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { bytesOf } from '../fieldCases/cases.mts';
import type { Options, Seen } from '../fieldCases/outcome.mts';
import { fieldCases } from '../fieldCases/suite.mts';
import { sharedEngine } from './engines.mts';
import { inRecording } from './oneRecording.mts';
import { ownService } from './ownService.mts';
import { seenIn } from './seen.mts';

interface Download {
	file: string;
	/** Whether the service stores it encrypted. */
	encrypted: boolean;
	/** Whether the service announces its length. */
	announced: boolean;
	headers?: Record<string, string>;
	parameters?: { options?: Options } & Options;
}

interface Decrypt {
	file: string;
	fileName: string;
	/** What it holds, encrypted or in another form. */
	sameAs: string;
}

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const engine = await sharedEngine();

async function encrypted(content: Buffer): Promise<Buffer> {
	async function* plain() {
		yield content;
	}
	const pieces: Uint8Array[] = [];
	for await (const piece of encrypt(plain(), PASSWORD)) pieces.push(piece);
	return Buffer.concat(pieces);
}

/** @param wanted the bytes that have to be stored */
async function seenOf(execution: Execution, wanted: Buffer): Promise<Seen> {
	const file = execution.items(NODE)[0]?.binary?.data;
	const stored = file && (await engine.n8n.binary(file));
	return { ...seenIn(execution), isSame: stored?.equals(wanted) };
}

async function download(
	t: TestContext,
	{ file, encrypted: isEncrypted, announced, headers, parameters }: Download,
	{ decrypt = parameters?.decrypt ?? 'automatic', ...options }: Options,
): Promise<Seen> {
	const plain = bytesOf(file);
	const body = isEncrypted ? await encrypted(plain) : plain;
	const length = announced ? { 'content-length': String(body.length) } : undefined;
	const type = { 'content-type': 'application/octet-stream' };
	const service = await ownService(t, engine, ({ path }) =>
		path.endsWith(GUID) ? { headers: { ...type, ...headers, ...length }, body } : { body: [] },
	);
	const more = { ...parameters, decrypt, options: { ...parameters?.options, ...options } };
	const execution = await service.run({
		parameters: inRecording('download', more),
		items: [{ sessionGuid: GUID }],
	});
	return await seenOf(execution, decrypt === 'never' ? body : plain);
}

async function decrypt(
	_t: TestContext,
	{ file, fileName, sameAs }: Decrypt,
	options: Options,
): Promise<Seen> {
	const data = bytesOf(file).toString('base64');
	const binary = { data: { data, fileName, mimeType: 'application/octet-stream' } };
	const item: PinnedItem = { json: { sessionGuid: GUID }, binary };
	const execution = await engine.runNode({
		parameters: { resource: 'recording', operation: 'decrypt', options },
		pinned: { [START]: [item] },
	});
	return await seenOf(execution, bytesOf(sameAs));
}

const plainWav = { file: 'files/plain.wav', encrypted: false, announced: true };
fieldCases(
	'download',
	[
		{
			input: { ...plainWav, encrypted: true },
			holds: { bytes: 'same', format: 'wav', quiet: true },
			doesNotHold: { bytes: 'same', format: 'mp3' },
		},
	],
	download,
);

fieldCases(
	'decrypt',
	[
		{
			input: { file: 'files/json.enc', fileName: 'call.enc', sameAs: 'files/plain.wav' },
			holds: { refused: 'password' },
			doesNotHold: { bytes: 'same' },
		},
	],
	decrypt,
);
