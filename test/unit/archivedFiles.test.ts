import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { FileValues } from '../../nodes/VoiceAgent/recording/archivedFiles';
import {
	downloadedFiles,
	findArchived,
	isInInput,
	itemsOfSession,
	notArchived,
	requireArchived,
	valuesOf,
} from '../../nodes/VoiceAgent/recording/archivedFiles';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b';

const digest = (content: string, algorithm = 'sha256') =>
	createHash(algorithm).update(content).digest('hex');
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
	options: {},
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
	])('%s', async (guid, indices) => {
		const found = await itemsOfSession(context, guid, (index) => ({ recording: ids[index] }));
		expect(found).toEqual(indices);
		const read = await valuesOf(found, (index) => values({ downloadSize: index }));
		expect(read.map(({ index, values: { downloadSize } }) => [index, downloadSize])).toEqual(
			indices.map((index) => [index, index]),
		);
	});

	test('are found once for all items', async () => {
		const read: number[] = [];
		const input = contextWith([itemWith(''), itemWith('')]);
		for (let turn = 0; turn < 2; turn++) {
			await itemsOfSession(input, GUID, (index) => {
				read.push(index);
				return { recording: GUID };
			});
		}
		expect(read).toEqual([0, 1]);
	});

	test('cannot be told if an item names none', async () => {
		const input = contextWith([itemWith(''), itemWith('')]);
		const found = itemsOfSession(input, GUID, (index) => ({ recording: index ? '' : GUID }));
		await expect(found).rejects.toMatchObject({ reason: 'sessionGuidMissing' });
	});
});

describe('what was downloaded', () => {
	test.each([
		['nothing', [{}, {}], []],
		['spaces', [{ downloadChecksum: ' ' }], []],
		['no text', [{ downloadChecksum: 5 }], []],
		[
			'of two files',
			[{ downloadChecksum: 'a', downloadSize: 1 }, {}],
			[
				{ checksum: 'a', size: 1 },
				{ checksum: '', size: '' },
			],
		],
	])('as the items say: %s', async (_name, all, files) => {
		expect(await downloadedFiles(itemsOf(...all))).toEqual(files);
		const empty = { ...all[0], options: { downloadedFiles: '' } };
		expect(await downloadedFiles(itemsOf(empty, ...all.slice(1)))).toEqual(files);
	});

	const file = { sessionGuid: GUID, sha256: 'a', bytes: 1 };
	const metadata = { sessionGuid: `{${GUID.toUpperCase()}}`, metadataSha256: 'b', bytes: 2 };
	const found = [
		{ checksum: 'a', size: 1 },
		{ checksum: 'b', size: 2 },
	];
	test.each([
		[
			'items',
			[{ json: file }, { json: metadata }, { json: { ...file, sessionGuid: OTHER } }],
			found,
		],
		['their JSON', [file, { ...file, sessionGuid: OTHER }, metadata], found],
		['one item', { json: file }, found.slice(0, 1)],
		['none', [], []],
		['those of other sessions', [{ ...file, sessionGuid: OTHER }], []],
	])('as the option says: %s', async (_name, all, files) => {
		const options = { downloadedFiles: all };
		// It counts whatever the items say.
		expect(await downloadedFiles(itemsOf({ options, downloadChecksum: 'c' }))).toEqual(files);
	});

	test('names itself in the error', async () => {
		const items = itemsOf({ options: { downloadedFiles: 'text' } });
		await expect(downloadedFiles(items)).rejects.toThrow("'Downloaded Files'");
	});

	test.each([['text'], [[5]], [[{ json: {} }]], [[{ sessionGuid: ' ' }]], [null]])(
		'an option %j is refused',
		async (all) => {
			const items = itemsOf({ options: { downloadedFiles: all } });
			await expect(downloadedFiles(items)).rejects.toMatchObject({ reason: 'invalidParameter' });
		},
	);

	test('without items: nothing', async () => expect(await downloadedFiles([])).toEqual([]));
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
	const fileOf = (content: string, algorithm?: string) => ({
		checksum: digest(content, algorithm),
		size: content.length,
	});

	test('is there, in any order of the items', async () => {
		const proven = check(['two', 'one'], [fileOf('one'), fileOf('two')], {}, {});
		await expect(proven).resolves.toBeUndefined();
	});

	test.each(['md5', 'sha256'])('%s', async (algorithm) => {
		const { checksum, size } = fileOf('one', algorithm);
		const values = { downloadChecksum: checksum };
		await expect(check(['one'], [{ checksum, size }], values)).resolves.toBeUndefined();
		const other = check(['two'], [{ checksum, size }], values);
		await expect(other).rejects.toMatchObject({ reason: 'proofFailed' });
	});

	test('MD5 in Base64', async () => {
		const checksum = createHash('md5').update('one').digest('base64');
		const values = { downloadChecksum: ` ${checksum} ` };
		await expect(check(['one'], [{ checksum, size: 3 }], values)).resolves.toBeUndefined();
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
			reason: checksum ? 'invalidParameter' : 'notArchived',
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
	const find = async (contents: Array<string | undefined>, ...all: Array<Partial<FileValues>>) =>
		await findArchived(
			contextWith(contents.map((content) => itemWith(content))),
			itemsOf(...contents.map((_, index) => all[index] ?? {})),
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
		['whose metadata has no checksum', ['audio', metadataOf('audio', { file: {} })], undefined],
		['whose metadata is cut', ['audio', metadataOf('audio').slice(0, -1)], undefined],
		['whose metadata is empty', ['audio', ''], undefined],
		['whose metadata is a list', ['audio', `[${metadataOf('audio')}]`], undefined],
		['whose metadata begins late', ['audio', ` ${metadataOf('audio')}`], undefined],
		[
			// A file is read in pieces of 768 KiB.
			'whose metadata is the second piece of a file',
			['audio', 'x'.repeat(768 * 1024) + metadataOf('audio')],
			undefined,
		],
		['that is missing', [undefined, metadataOf('audio')], undefined],
		['that is not there at all', [], undefined],
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

	test('with the checksum that was stored with it', async () => {
		const stored = { storedChecksum: ` ${digest('audio').toUpperCase()}\n` };
		expect(await find(['audio'], { options: stored })).toEqual(found(0, 'audio', null));
		expect(await find(['other'], { options: stored })).toBeUndefined();
		const reported = {
			proofFrom: 'checksum',
			archiveChecksum: ` ${digest('audio').toUpperCase()} `,
			archiveSize: '5',
		} as const;
		expect(await find([undefined], { ...reported, options: stored })).toEqual(
			found(0, 'audio', null),
		);
		expect(await find([undefined], { ...reported, options: { storedChecksum: ' ' } })).toBe(
			undefined,
		);
	});

	test.each([
		[digest('audio'), 'data', true],
		[digest('other'), 'data', false],
	])('is in the input: %s', async (sha256, field, expected) => {
		const context = contextWith([
			itemWith('audio'),
			itemWith('text'),
			itemWith(metadataOf('audio')),
		]);
		expect(await isInInput(context, [0, 1, 2], field, GUID, sha256)).toBe(expected);
		expect(await isInInput(context, [0, 1], field, GUID, sha256)).toBe(false);
		expect(await isInInput(context, [0, 1, 2], field, OTHER, sha256)).toBe(false);
		await expect(isInInput(context, [0], 'file', GUID, sha256)).rejects.toThrow('no field file');
	});
});

test('tens of thousands of items do not keep the event loop to themselves', async () => {
	const count = 30_000;
	const context = contextWith(Array<INodeExecutionData>(count).fill(itemWith(undefined)));
	const items = itemsOf(...Array<Partial<FileValues>>(count).fill({ proofFrom: 'checksum' }));
	for (const work of [
		async () => await itemsOfSession(context, GUID, () => ({ recording: GUID })),
		async () => await findArchived(context, items),
	]) {
		let hadTurn = false;
		void sleep(0).then(() => (hadTurn = true));
		await work();
		expect(hadTurn).toBe(true);
	}
});

describe('why a recording is not in the archive', () => {
	test.each<[string, unknown, unknown, string | undefined]>([
		['nobody says', undefined, undefined, undefined],
		['the item', undefined, 'full', 'full'],
		['an error in the item', undefined, { message: 'full' }, 'full'],
		['the option', 'locked', 'full', 'locked'],
		['the option, an error', { message: 'locked' }, 'full', 'locked'],
		['an error without a message', undefined, {}, undefined],
		['no text', undefined, 5, undefined],
		['spaces', undefined, ' ', undefined],
	])('%s', (_name, archiveError, error, detail) => {
		const context = contextWith([itemWith(undefined), itemWith(undefined, { error })]);
		const all = itemsOf({}, { options: { archiveError } });
		expect(notArchived(context, all)).toMatchObject({ reason: 'notArchived', detail });
		expect(notArchived(contextWith([]), all.slice(0, 1)).detail).toBeUndefined();
	});
});
