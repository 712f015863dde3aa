import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { FileValues } from '../../nodes/VoiceAgent/recording/archive/archivedFiles';
import {
	itemsOfSession,
	requireArchived,
} from '../../nodes/VoiceAgent/recording/archive/archivedFiles';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b';

const digest = (content: string) => createHash('sha256').update(content).digest('hex');

/** What the file of an item has, for n8n's in-memory mode. */
function itemWith(content: string | undefined): INodeExecutionData {
	const data = content === undefined ? undefined : Buffer.from(content).toString('base64');
	return {
		json: {},
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

describe('a file in the archive', () => {
	const check = async (
		contents: Array<string | undefined>,
		downloaded: Array<{ checksum: string; size: string }>,
		...all: Array<Partial<FileValues>>
	) =>
		await requireArchived(
			contextWith(contents.map((content) => itemWith(content))),
			itemsOf(...all),
			downloaded,
		);
	const fileOf = (content: string) => ({
		checksum: digest(content),
		size: String(content.length),
	});

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

	test('that nobody has downloaded is not proven', async () => {
		await expect(check(['one'], [], {})).rejects.toMatchObject({ reason: 'notArchived' });
	});

	test('whose download has no checksum is not proven by an archive that has none either', async () => {
		const none = { checksum: 'none', size: '5' };
		const reported = { archiveChecksum: 'none', archiveSize: '5' };
		await expect(
			check([undefined], [none], { proofFrom: 'checksum', ...reported }),
		).rejects.toMatchObject({ reason: 'invalidParameter' });
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
