import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { FileValues } from '../../nodes/VoiceAgent/recording/archivedFiles';
import {
	downloadedFiles,
	findArchived,
	itemsOfSession,
	requireArchived,
} from '../../nodes/VoiceAgent/recording/archivedFiles';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b';

const digest = (content: string) => createHash('sha256').update(content).digest('hex');
const json = (content: object) => JSON.stringify(content);

/** What the file of an item has, for n8n's in-memory mode. */
function itemWith(content: string | undefined, fields: object = {}): INodeExecutionData {
	const data = content === undefined ? undefined : Buffer.from(content).toString('base64');
	return {
		json: { ...fields },
		...(data !== undefined && { binary: { data: { data, mimeType: '' } as IBinaryData } }),
	};
}

const contextWith = (items: INodeExecutionData[]) =>
	({
		getInputData: () => items,
		getNode: () => ({ name: 'Delete' }),
		getParentNodes: () => [],
		getWorkflowDataProxy: () => ({}),
		helpers: {
			assertBinaryData: (index: number, field: string) => {
				const file = items[index]?.binary?.[field];
				if (!file) throw new Error(`no field ${field}`);
				return file;
			},
		},
	}) as unknown as IExecuteFunctions;

const values = (more: Partial<FileValues> = {}): FileValues => ({
	recording: GUID,
	proofFrom: 'file',
	downloadChecksum: '',
	downloadSize: '',
	archiveChecksum: '',
	archiveSize: '',
	inputBinaryField: 'data',
	...more,
});
const itemsOf = (...all: Array<Partial<FileValues>>) =>
	all.map((more, index) => ({ index, values: values(more) }));

describe('the items of a session', () => {
	const ids = [GUID, OTHER, `{${GUID.toUpperCase()}}`, OTHER];
	const context = contextWith(ids.map(() => itemWith(undefined)));

	test.each([
		[GUID, [0, 2]],
		[OTHER.toUpperCase(), [1, 3]],
		['0e8f6d6e-1111-4222-8333-444455556666', []],
	])('%s', (guid, indices) => {
		const found = itemsOfSession(context, guid, (index) => values({ recording: ids[index] }));
		expect(found.map(({ index }) => index)).toEqual(indices);
	});

	test('cannot be told if an item names none', () => {
		const input = contextWith([itemWith(''), itemWith('')]);
		const recordingAt = (index: number) => values({ recording: index ? '' : GUID });
		expect(() => itemsOfSession(input, GUID, recordingAt)).toThrow("'Recording' is empty");
	});
});

test('what was downloaded, as the items say', () => {
	const items = itemsOf({ downloadChecksum: 'a', downloadSize: 1 }, {});
	expect(downloadedFiles(contextWith([]), items)).toEqual([
		{ checksum: 'a', size: 1 },
		{ checksum: '', size: '' },
	]);
});

describe('a file in the archive', () => {
	const check = async (
		contents: Array<string | undefined>,
		downloaded: Array<{ checksum: unknown; size: unknown }>,
		...all: Array<Partial<FileValues>>
	) =>
		await requireArchived(
			contextWith(contents.map((content) => itemWith(content))),
			itemsOf(...all),
			downloaded,
		);
	const fileOf = (content: string) => ({ checksum: digest(content), size: content.length });

	test('is there, in any order of the items', async () => {
		const proven = check(['two', 'one'], [fileOf('one'), fileOf('two')], {}, {});
		await expect(proven).resolves.toBeUndefined();
	});

	test.each([
		['differs', ['one', 'xxx'], 'proofFailed'],
		['has another size', ['one', 'twos'], 'proofFailed'],
		['is missing', ['one', undefined], 'notArchived'],
		['has no item', ['one'], 'notArchived'],
	])('the second of two %s', async (_name, contents, reason) => {
		const downloaded = [fileOf('one'), fileOf('two')];
		const proof = check(contents, downloaded, ...contents.map(() => ({})));
		await expect(proof).rejects.toMatchObject({ reason });
	});

	test('as the archive reports', async () => {
		const downloaded = [fileOf('one')];
		const reported = {
			proofFrom: 'checksum',
			archiveChecksum: digest('one').toUpperCase(),
		} as const;
		await expect(
			check([undefined], downloaded, { ...reported, archiveSize: '3' }),
		).resolves.toBeUndefined();
		await expect(check(['one'], downloaded, { proofFrom: 'checksum' })).rejects.toMatchObject({
			reason: 'notArchived',
		});
		await expect(
			check(['one'], downloaded, { ...reported, archiveSize: '4' }),
		).rejects.toMatchObject({ reason: 'proofFailed' });
	});

	test.each([
		['none', 5],
		['', ''],
		[undefined, undefined],
	])('%j proves nothing, even if the archive reports the same', async (checksum, size) => {
		const reported = {
			proofFrom: 'checksum',
			archiveChecksum: checksum,
			archiveSize: size,
		} as const;
		await expect(check([undefined], [{ checksum, size }], reported)).rejects.toMatchObject({
			reason: 'invalidParameter',
		});
	});

	test("in n8n's combined binary mode, the JSON holds the files", async () => {
		const { binary } = itemWith('one');
		const context = {
			getInputData: () => [{ json: { _files: binary } }],
			helpers: { assertBinaryData: () => binary?.data },
		} as unknown as IExecuteFunctions;
		const proof = requireArchived(context, itemsOf({}), [fileOf('one')]);
		await expect(proof).resolves.toBeUndefined();
	});
});

describe('a recording in the archive', () => {
	const downloadedAt = '2026-11-20T12:00:00.000Z';
	const metadataOf = (content: string, more: object = {}) =>
		json({ sessionGuid: GUID, downloadedAt, file: { sha256: digest(content) }, ...more });
	const found = (index: number, content = 'audio', archivedAt: string | null = downloadedAt) => ({
		index,
		sha256: digest(content),
		bytes: content.length,
		archivedAt,
	});
	const find = async (contents: Array<string | undefined>) =>
		await findArchived(
			contextWith(contents.map((content) => itemWith(content))),
			itemsOf(...contents.map(() => ({}))),
		);

	test.each([
		['with its metadata', ['audio', metadataOf('audio')], found(0)],
		['behind its metadata', [metadataOf('audio'), 'audio'], found(1)],
		[
			'whose metadata has no time',
			['audio', metadataOf('audio', { downloadedAt: '' })],
			found(0, 'audio', null),
		],
		[
			'whose metadata has another spelling',
			['audio', metadataOf('audio', { sessionGuid: `{${GUID.toUpperCase()}}` })],
			found(0),
		],
		['without metadata', ['audio'], undefined],
		['that differs', ['audio', metadataOf('other')], undefined],
		[
			'with the metadata of another session',
			['audio', metadataOf('audio', { sessionGuid: OTHER })],
			undefined,
		],
		['whose metadata has no file', ['audio', metadataOf('audio', { file: 'audio' })], undefined],
		['whose metadata is cut', ['audio', metadataOf('audio').slice(0, -1)], undefined],
		['whose metadata is a list', ['audio', `[${metadataOf('audio')}]`], undefined],
		['whose metadata begins late', ['audio', ` ${metadataOf('audio')}`], undefined],
		[
			// A file is read in pieces of 768 KiB.
			'whose metadata is the second piece of a file',
			['audio', 'x'.repeat(768 * 1024) + metadataOf('audio')],
			undefined,
		],
		['that is missing', [undefined, metadataOf('audio')], undefined],
	])('%s', async (_name, contents, expected) => {
		expect(await find(contents)).toEqual(expected);
	});

	// Up to 4 MiB.
	test.each([
		[4_000, true],
		[4_200, false],
	])('metadata with %i kB more: read: %j', async (count, isRead) => {
		const metadata = metadataOf('audio', { more: Array(count).fill('x'.repeat(1_000)) });
		expect(await find(['audio', metadata])).toEqual(isRead ? found(0) : undefined);
	});

	test.each([
		[{ properties: { sha256: digest('audio').toUpperCase() } }, true],
		[{ appProperties: { sha256: digest('audio') } }, true],
		[{ properties: { sha256: digest('other') } }, false],
		// A node may have computed it from the file itself, which always equals itself.
		[{ sha256: digest('audio') }, false],
	])('with what Google Drive stores beside it: %j', async (fields, isFound) => {
		const reported = {
			proofFrom: 'checksum',
			archiveChecksum: ` ${digest('audio').toUpperCase()} `,
			archiveSize: '5',
		} as const;
		const archived = await findArchived(
			contextWith([itemWith(undefined, fields)]),
			itemsOf(reported),
		);
		expect(archived).toEqual(isFound ? found(0, 'audio', null) : undefined);
	});
});
