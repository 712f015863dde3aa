/** What Delete accepts as proof that a recording is archived. */
import type { IExecuteFunctions, INode } from 'n8n-workflow';

import { itemsOfSession } from '../../nodes/VoiceAgent/recording/archive/downloads';
import { requireArchived } from '../../nodes/VoiceAgent/recording/archive/proof';
import type { Before, Flow } from './deleteAfter';
import { deleteAfter, GUID } from './deleteAfter';

const OTHER = '9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b';

test('the items of a session are found, and each item is looked at once', () => {
	const ids = [GUID, OTHER, `{${GUID.toUpperCase()}}`, OTHER];
	const input = ids.map(() => ({}));
	const context = { getInputData: () => input } as unknown as IExecuteFunctions;
	const guidAt = jest.fn((index: number) => ids[index] ?? '');
	const itemsOf = (guid: string) => itemsOfSession(context, guid, guidAt);
	expect(itemsOf(GUID)).toEqual([0, 2]);
	expect(itemsOf(OTHER.toUpperCase())).toEqual([1, 3]);
	expect(itemsOf('0e8f6d6e-1111-4222-8333-444455556666')).toEqual([]);
	expect(guidAt).toHaveBeenCalledTimes(4);
});

test('the items of a session cannot be told if one item names no session', () => {
	const context = { getInputData: () => [{}, {}] } as unknown as IExecuteFunctions;
	const guidAt = (index: number) => {
		if (index > 0) throw new Error('it names none');
		return GUID;
	};
	expect(() => itemsOfSession(context, GUID, guidAt)).toThrow('it names none');
});

/** SHA-256 of `abc`, from FIPS 180-2. */
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const WRONG = '0'.repeat(64);

/** An item with a file that a node has read. */
const file = (text = 'abc', more = {}) => {
	const data = { data: Buffer.from(text).toString('base64'), ...more };
	return { json: {}, binary: { data } };
};
/** An item with checksum and size, as Google Drive reports them. */
const report = (more = {}) => ({ json: { sha256Checksum: ABC, size: '3', ...more } });
/** Items of Download: the recording, and its metadata file. */
const downloaded = { json: { sessionGuid: GUID, sha256: ABC, bytes: 3 } };
const metadata = { json: { sessionGuid: GUID, metadataSha256: WRONG, bytes: 9 } };

const voiceAgent = (operation: string, ...runs: object[][]): Before => {
	return { name: operation, parameters: { operation }, runs };
};
const download = voiceAgent('download', [downloaded]);

/** What these nodes do in an archive workflow. */
const OPERATIONS: Record<string, object> = {
	googleDrive: { resource: 'file', operation: 'upload' },
	ftp: { operation: 'download' },
	s3: { resource: 'file', operation: 'download' },
	ssh: { resource: 'file', operation: 'download' },
};
const node = (type: string, item: object, parameters = OPERATIONS[type] ?? {}): Before => ({
	name: type === 'googleDrive' ? 'Archive' : type,
	type: `n8n-nodes-base.${type}`,
	parameters: parameters as INode['parameters'],
	runs: [[item]],
});
const archive = (item: object = report()) => node('googleDrive', item);
const SEARCH = { resource: 'fileFolder', operation: 'search' };

const ask = async (nodes: Before[], flow: Flow = {}) =>
	await requireArchived(deleteAfter(nodes, flow), GUID, [0]);

/** @returns why there is no proof; `undefined` if there is */
async function whyNot(nodes: Before[], flow: Flow = {}): Promise<string | undefined> {
	try {
		await ask(nodes, flow);
		return undefined;
	} catch (error) {
		const { reason, detail } = error as { reason: string; detail?: string };
		return `${reason}: ${detail}`;
	}
}

test.each<[string, Before[]]>([
	['the checksum and the size that the archive reports', [archive()]],
	[
		'a checksum in capital letters, with a size that is a number',
		[archive(report({ sha256Checksum: ABC.toUpperCase(), size: 3 }))],
	],
	['a report that a node behind the archive passes on', [archive(), node('set', report())]],
	[
		'what a search in the archive finds',
		[{ ...archive(report({ trashed: false })), parameters: SEARCH }],
	],
	[
		'a report that a node repeats behind another one that does not',
		[archive(), { ...node('code', { json: {} }), name: 'Other' }, node('set', report())],
	],
	[
		'a report before a ledger, which outputs its row',
		[archive(), node('dataTable', { json: { sessionGuid: GUID } })],
	],
	['a report before a node that outputs something else', [archive(), node('set', { json: {} })]],
	['a file that is read back', [node('ssh', file())]],
	[
		'a file that is read back in combined binary mode',
		[node('s3', { json: { _files: file().binary } })],
	],
	[
		'a report with a field of the name that files have in combined binary mode',
		[archive(report({ _files: 'x' }))],
	],
	[
		'a report, after another operation that outputs a checksum',
		[voiceAgent('decrypt', [metadata]), archive()],
	],
	[
		'a file that is read back, after a report of another checksum',
		[archive(report({ sha256Checksum: WRONG })), node('ssh', file())],
	],
])('a recording is proven by %s', async (_what, nodes) => {
	const [recording, ...others] = (await ask([download, ...nodes])).files;
	expect(recording).toMatchObject({ checksum: ABC, size: '3', isRecording: true });
	expect(others).toEqual([]);
});

const objectKey = ['calls', 'call_1.opus'].join('/');
/** As Download names a recording in a folder for each day. */
const inFolder = { json: { ...downloaded.json, fileName: '2026-11-27/call_1.opus' } };

test.each<[string, object, Before]>([
	[
		'a folder: the path as it was read',
		{ archive: 'Folder', file: `/calls/${GUID}.opus` },
		node('readWriteFile', file('abc', { directory: '/calls', fileName: `${GUID}.opus` }), {
			operation: 'read',
		}),
	],
	[
		'a folder that is relative to that of n8n',
		{ archive: 'Folder', file: `${GUID}.opus` },
		node('readWriteFile', file('abc', { fileName: `${GUID}.opus` }), { operation: 'read' }),
	],
	[
		'SFTP: the path of the node',
		{ archive: 'SFTP', file: '/calls/2026-11-27/call_1.opus' },
		node('ftp', file(), {
			protocol: 'sftp',
			operation: 'download',
			path: "=/calls/{{ $('download').item.json.fileName }}",
		}),
	],
	[
		'FTP',
		{ archive: 'FTP', file: '/calls/call_1.opus' },
		node('ftp', file(), { operation: 'download', path: '/calls/call_1.opus' }),
	],
	[
		'a path that cannot be told: the name that Download gave',
		{ archive: 'SSH', file: '2026-11-27/call_1.opus' },
		node('ssh', file(), { resource: 'file', operation: 'download', path: '=/calls/{{ $now }}' }),
	],
	[
		'the S3 node: the key',
		{ archive: 'S3', file: 'calls/call_1.opus' },
		node('s3', file(), { resource: 'file', operation: 'download', fileKey: objectKey }),
	],
	[
		'a node that knows a file by its id: the name that Download gave',
		{ archive: 'Box', file: '2026-11-27/call_1.opus' },
		node('box', file(), { resource: 'file', operation: 'download', fileId: '7' }),
	],
	[
		'Google Drive: the name there',
		{ archive: 'Google Drive', file: 'call of Jane.opus' },
		archive(report({ name: 'call of Jane.opus' })),
	],
	[
		'Google Drive, if it says no name: that of Download',
		{ archive: 'Google Drive', file: '2026-11-27/call_1.opus' },
		archive(),
	],
])('the ledger notes where a recording is: %s', async (_what, place, archived) => {
	expect(await ask([voiceAgent('download', [inFolder]), archived])).toMatchObject(place);
});

test('no proof is needed of an item without a file, nor of a Download that has not run', async () => {
	const failed = { json: { sessionGuid: GUID, error: 'The service does not answer' } };
	const first = { ...download, name: 'Earlier', runs: [] };
	const nodes = [first, voiceAgent('download', [downloaded, failed])];
	expect(await whyNot([...nodes, archive()])).toBeUndefined();
});

const madeBy = (name: string) => `notArchived: '${name}' has made it, and does not ask the archive`;
const neither = expect.stringMatching(/^notArchived: no node before this one reads/) as unknown;
const inTheBin = "notArchived: the file that 'Archive' has found is in the bin";

interface Unproven {
	what: string;
	nodes: Before[];
	why: unknown;
	flow?: Flow;
	/** What else the item of Download has. */
	downloadedWith?: object;
}
const unproven: Unproven[] = [
	{ what: 'a size without a checksum', nodes: [archive({ json: { size: 3 } })], why: neither },
	{
		what: 'a checksum without a size',
		nodes: [archive(report({ size: null }))],
		why: neither,
	},
	{
		what: 'a report with a list of sizes',
		nodes: [archive(report({ size: ['3'] }))],
		why: neither,
	},
	{
		what: 'a report that no node has output',
		nodes: [archive({ json: {} })],
		flow: { input: [report()] },
		why: expect.stringMatching(/may have got it from another one$/),
	},
	{
		what: 'a file that another node has made',
		nodes: [node('code', file())],
		why: madeBy('code'),
	},
	{
		what: 'a report that another node has made',
		nodes: [node('set', report())],
		why: madeBy('set'),
	},
	{
		what: 'a report of a node that only reads files',
		nodes: [node('s3', report())],
		why: madeBy('s3'),
	},
	{
		what: 'the file that an upload outputs',
		nodes: [node('s3', file(), { resource: 'file', operation: 'upload' })],
		why: madeBy('s3'),
	},
	{
		what: 'a file of an operation that an expression names',
		nodes: [node('s3', file(), { resource: 'file', operation: '={{ "download" }}' })],
		why: madeBy('s3'),
	},
	{
		what: 'the file of the download',
		nodes: [archive(file('abc', { origin: 'VoiceAgent' }))],
		why: neither,
	},
	{
		what: 'the file of the download, without its mark',
		nodes: [node('ssh', file('abc', { id: 'filesystem-v2:1' }))],
		downloadedWith: {
			binary: { data: { data: 'filesystem-v2', id: 'filesystem-v2:1', origin: 'VoiceAgent' } },
		},
		why: madeBy('download'),
	},
	{
		what: 'a file in the bin',
		nodes: [archive(report({ trashed: true }))],
		why: inTheBin,
	},
	{
		what: 'a file that may be in the bin',
		nodes: [{ ...archive(), parameters: SEARCH }, node('set', report())],
		why: expect.stringMatching(
			/'Archive' does not say whether the file is in the bin: add 'trashed' to its fields$/,
		),
	},
	{
		what: 'a file in the bin, if a node passes its report on without saying that',
		nodes: [archive(report({ trashed: true })), node('set', report())],
		why: inTheBin,
	},
	{
		what: 'an archive that is deactivated',
		nodes: [{ ...archive({ json: {} }), disabled: true }],
		why: expect.stringMatching(/: 'Archive' is deactivated$/),
	},
	{
		what: 'an archive that fails, behind nodes with errors that say nothing',
		nodes: [
			node('set', { json: { error: '' } }),
			node('code', { json: { error: 7 } }),
			archive({ json: { error: { message: 'No space left' } } }),
		],
		why: expect.stringMatching(/: No space left$/),
	},
	{
		what: 'a report that is pinned',
		nodes: [{ ...archive(), pinned: [report()] }],
		why: expect.stringMatching(/the output of 'Archive' is pinned$/),
	},
];
test.each(unproven)('a recording is not proven by $what', async (row) => {
	const { nodes, why, flow, downloadedWith } = row;
	const first = voiceAgent('download', [{ ...downloaded, ...downloadedWith }]);
	expect(await whyNot([first, ...nodes], flow)).toEqual(why);
});

test('a deactivated Download has downloaded nothing, whatever it passes on', async () => {
	const error = { reason: 'notArchived', detail: undefined };
	await expect(ask([{ ...download, disabled: true }, archive()])).rejects.toMatchObject(error);
});

test('a recording is not proven if the output of Download is pinned', async () => {
	const pinned = { ...download, pinned: [downloaded] };
	expect(await whyNot([pinned, archive()])).toBe("notArchived: the output of 'download' is pinned");
});

describe('in a loop', () => {
	/** Loop Over Items, which outputs what it gets from before it and from its last node. */
	const loop = (from: [before: string, last: string], runs: object[][]): Before => ({
		name: 'Loop',
		type: 'n8n-nodes-base.splitInBatches',
		from,
		runs,
	});
	const copy = { ...node('code', file('abc', { id: 'copy' })), name: 'Copy' };
	const passedOn = [file('abc', { id: 'copy' })];

	test.each([
		['has written it', { operation: 'write' }, false],
		['is deactivated', { operation: 'read' }, true],
	])(
		'a node that passes on a copy proves nothing if it %s',
		async (_what, parameters, disabled) => {
			const write = {
				...node('readWriteFile', passedOn[0] ?? {}, parameters),
				name: 'Write',
				from: ['Loop'],
				disabled,
			};
			const nodes = [download, copy, loop(['Copy', 'Write'], [passedOn, passedOn]), write];
			// The connections lead from Write back to the loop.
			expect(await whyNot(nodes, { input: passedOn })).toBe(madeBy('Copy'));
		},
	);

	test('an item that Delete has refused and passed on proves nothing', async () => {
		const off = { ...archive(), from: ['Delete'], disabled: true };
		const fields = { ...node('set', report()), name: 'Fields', from: ['download', 'Archive'] };
		const own = [[report()]];
		expect(await whyNot([download, off, fields], { own })).toBe(
			'notArchived: each node before this one may have got it from another one',
		);
	});

	test('if the only node of a loop asks the archive, what the loop outputs is a proof', async () => {
		const around = loop(['download', 'Archive'], [[downloaded], [report()]]);
		expect(await whyNot([download, around, { ...archive(), from: ['Loop'] }])).toBeUndefined();
	});

	test('a report of any turn is a proof, and the files of all turns have to be proven', async () => {
		const later = { json: { ...downloaded.json, sessionGuid: OTHER } };
		const turns = voiceAgent('download', [downloaded], [later]);
		const answers = { ...archive(), runs: [[report()], [report()]] };
		expect(await whyNot([turns, answers])).toBeUndefined();
		const twice = voiceAgent(
			'download',
			[downloaded],
			[{ json: { ...downloaded.json, sha256: WRONG } }],
		);
		expect(await whyNot([twice, answers])).toMatch(
			/^notArchived: nothing shows .* the recording that/,
		);
	});
});

test('a recording is proven only if each file of each Download is', async () => {
	const second = { ...voiceAgent('download', [downloaded]), name: 'Second' };
	const other = { json: { ...downloaded.json, sha256: WRONG } };
	for (const [item, what] of [
		[metadata, 'metadata file'],
		[other, 'recording'],
	] as const) {
		const first = { ...voiceAgent('download', [item]), name: 'First' };
		expect(await whyNot([first, second, archive()])).toBe(
			`notArchived: nothing shows that the archive has the ${what} that 'First' has output`,
		);
	}
	const both = { ...archive(), runs: [[report(), report(metadata.json)]] };
	expect(await whyNot([voiceAgent('download', [downloaded, metadata]), both])).toBe(
		"notArchived: nothing shows that the archive has the metadata file that 'download' has output",
	);
});

describe('what HTTP Request reads', () => {
	const url = "=https://archive.example.com/{{ $('download').item.json.sessionGuid }}";
	const put = (parameters: object = {}, json: object = {}): Before => ({
		...node('httpRequest', { json }),
		name: 'Put',
		parameters: { method: 'PUT', sendBody: true, contentType: 'binaryData', url, ...parameters },
	});
	const get = (parameters: object = {}): Before => ({
		...node('httpRequest', file()),
		name: 'Get',
		parameters: { url, ...parameters },
	});

	test.each<[string, string, object]>([
		['S3', '2026-11-27/call_1.opus', { nodeCredentialType: 'aws' }],
		['HTTP', 'https://x.example/2026-11-27%2Fcall_1.opus', {}],
	])('is noted as %s, by its key or its URL', async (name, path, more) => {
		const url = "=https://x.example/{{ encodeURIComponent($('download').item.json.fileName) }}";
		const nodes = [voiceAgent('download', [inFolder]), put({ url }), get({ url, ...more })];
		expect(await ask(nodes)).toMatchObject({ archive: name, file: path });
	});

	test('is noted by its URL without a query if nobody knows its key', async () => {
		const file = `https://archive.example.com/${GUID}`;
		const nodes = [
			voiceAgent('download', [inFolder]),
			put(),
			get({ url: `${url}?v=1`, nodeCredentialType: 'aws' }),
		];
		expect(await ask(nodes)).toMatchObject({ archive: 'S3', file });
	});

	test.each<[string, Before, Before]>([
		['where it was written', put(), get()],
		['where it was written by POST', put({ method: 'POST' }), get()],
		[
			'where it was written, with other headers, another query and another access',
			put({ headerParameters: {} }),
			get({
				url: `${url}?version=1`,
				sendHeaders: true,
				headerParameters: {},
				options: { timeout: 1 },
			}),
		],
		[
			'where the input item of the upload said',
			put({ url: '=https://archive.example.com/{{ $json.sessionGuid }}' }),
			get(),
		],
		[
			'where it was written under the name of the file',
			put({ url: '=https://archive.example.com/{{ $binary.data.fileName }}' }),
			get({ url: 'https://archive.example.com/a.opus' }),
		],
		[
			'where `$input` of the upload said',
			put({ url: '=https://archive.example.com/{{ $input.item.json.sessionGuid }}' }),
			get(),
		],
		[
			'an address with a $ outside of its expression',
			put({ url: '=https://archive.example.com/{{ $json.sessionGuid }}/$value' }),
			get({ url: `${url}/$value` }),
		],
		[
			'where the answer to the upload says',
			put({}, { url: `https://archive.example.com/${GUID}` }),
			get({ url: '={{ $json.url }}' }),
		],
	])('is a proof if it reads %s', async (_where, write, read) => {
		const named = { ...downloaded, binary: { data: { fileName: 'a.opus', origin: 'VoiceAgent' } } };
		expect(await whyNot([voiceAgent('download', [named]), write, read])).toBeUndefined();
	});

	test.each([String.raw`$('Bob\'s').item`, `$("Bob's").item`, String.raw`$('Bob\'s').first()`])(
		'is a proof if the address names a node with an apostrophe: %s',
		async (named) => {
			const bob = { ...voiceAgent('download', [downloaded]), name: "Bob's" };
			const at = { url: `=https://archive.example.com/{{ ${named}.json.sessionGuid }}` };
			expect(await whyNot([bob, put(at), get(at)])).toBeUndefined();
		},
	);

	test.each([
		['{{ $now }}/$value', '$now'],
		['$value/{{ $runIndex }}', '$runIndex'],
		[String.raw`{{ $('a\\') + $now }}`, "$('a\\\\')"],
		[String.raw`{{ $('a\').item + $now }}`, '$'],
		['{{ $json.sessionGuid', undefined],
		[String.raw`{{ '\}}' + $json.sessionGuid }}`, undefined],
	])('is no proof if its meaning is not certain: %s', async (path, name) => {
		const at = { url: `=https://archive.example.com/${path}` };
		const why = await whyNot([download, put(at), get(at)]);
		const because = name === undefined ? '' : `, because of ${name}: use only `;
		expect(why).toContain(`the address of 'Get' cannot be told${because}`);
	});

	const elsewhere =
		/'Get' reads an address that no HTTP Request before it has written the file to$/;
	test.each<[string, Before[], RegExp]>([
		['without a request that has written it', [get()], elsewhere],
		['another address', [put(), get({ url: 'https://voice.example.com/a' })], elsewhere],
		['another host', [put(), get({ url: url.replace('archive', 'other') })], elsewhere],
		['where nothing was sent', [put({ sendBody: false }), get()], elsewhere],
		['where something else was sent', [put({ contentType: 'json' }), get()], elsewhere],
		['where the upload has failed', [put({}, { error: 'no' }), get()], elsewhere],
		[
			'where it is not known whether the upload has failed',
			[put({ options: { response: { response: { neverError: true } } } }), get()],
			elsewhere,
		],
		[
			'where nothing was written, because the upload is deactivated',
			[{ ...put(), disabled: true }, get()],
			elsewhere,
		],
		['where the file is written only later', [get(), { ...put(), runs: [[file()]] }], elsewhere],
		[
			'an address that it does not know',
			[put(), get({ url: '={{ $json.none }}' })],
			/cannot be told$/,
		],
		['by POST', [put(), get({ method: 'POST' })], /'Get' sends something/],
		['with a body', [put(), get({ sendBody: true })], /'Get' sends something/],
		[
			'other pages too',
			[put(), get({ options: { pagination: {} } })],
			/'Get' has 'pagination' set/,
		],
		['through a proxy', [put(), get({ options: { proxy: 'http://x' } })], /'Get' has 'proxy' set/],
		[
			'with a parameter that is not known',
			[put(), get({ requestMethod: 'GET' })],
			/'Get' has 'requestMethod' set/,
		],
	])('is no proof if it reads %s', async (_where, nodes, why) => {
		expect(await whyNot([download, ...nodes])).toMatch(why);
	});
});

test.each([
	[
		'another checksum',
		report({ sha256Checksum: WRONG }),
		`checksum ${ABC} of the download, ${WRONG} in the archive`,
	],
	['another size', report({ size: 4 }), 'size 3 of the download, 4 in the archive'],
	['another file', file('ab'), expect.stringContaining('checksum') as unknown],
])('the archive has %s: the error says how it differs', async (_what, item, detail) => {
	const read = 'binary' in item ? node('ssh', item) : archive(item);
	await expect(ask([download, read])).rejects.toMatchObject({ reason: 'proofFailed', detail });
});

const named = { json: { ...downloaded.json, fileName: 'calls/2026_+15550100_x.opus' } };
test.each<object>([
	{ fileName: 'call.opus', directory: `/archive/${GUID}` },
	{ fileName: `${GUID.toUpperCase()}.opus` },
	{ fileName: `call-${ABC}.opus` },
	{ fileName: '2026_15550100_x.opus' },
	{},
])('a file %j that is read back is a proof: no other call overwrites it', async (place) => {
	const read = node('ssh', file('abc', place));
	expect(await whyNot([voiceAgent('download', [named]), read])).toBeUndefined();
});

test.each([{ fileName: 'call.opus' }, { fileName: 'call.opus', directory: '/archive/2026' }])(
	'a file %j that is read back is no proof: the next call may overwrite it',
	async (place) => {
		const read = node('ssh', file('abc', place));
		const why = await whyNot([voiceAgent('download', [named]), read]);
		expect(why).toMatch(/'ssh' has read 'call.opus', which the next call may overwrite/);
	},
);

test.each([
	['20261127-1.opus', undefined, false],
	['a-------1.opus', undefined, false],
	[`${ABC}.opus`, undefined, true],
	['a.opus', `/archive/${ABC}`, true],
])(
	'a session GUID with few letters and digits tells nothing in %s in the folder %s: %s',
	async (fileName, directory, isTelling) => {
		const guid = '-------1';
		const json = { ...downloaded.json, sessionGuid: guid, fileName: `${guid}.opus` };
		const more = { fileName, ...(directory && { directory }) };
		const nodes = [voiceAgent('download', [{ json }]), node('ssh', file('abc', more))];
		const proof = requireArchived(deleteAfter(nodes, {}), guid, [0]);
		if (isTelling) expect((await proof).files).toHaveLength(1);
		else {
			await expect(proof).rejects.toMatchObject({
				detail: `'ssh' has read '${fileName}', which the next call may overwrite: put the SHA-256 into the name, because the session GUID has fewer than 8 letters and digits`,
			});
		}
	},
);

test('a file of any name in Google Drive is a proof: it keeps all files of one name', async () => {
	const drive = {
		...node('googleDrive', file('abc', { fileName: 'call.opus' })),
		parameters: OPERATIONS.s3 as INode['parameters'],
	};
	expect(await whyNot([voiceAgent('download', [named]), drive])).toBeUndefined();
});

test('nothing is proven if nothing was downloaded', async () => {
	const error = { reason: 'notArchived', detail: undefined };
	await expect(ask([voiceAgent('download', []), archive()])).rejects.toMatchObject(error);
});

describe('in an execution', () => {
	const outdated = "proofOutdated: 'Archive' has not run in this execution";
	const here = { download: '2' };
	const earlier = { download: '1' };
	const nothing = {};
	test.each<[how: string, age: 'fresh' | 'outdated', Flow]>([
		['of a webhook', 'fresh', {}],
		['of a trigger', 'fresh', { mode: 'trigger' }],
		['of a sub-workflow', 'fresh', { mode: 'integrated' }],
		['by hand, with the download', 'fresh', { mode: 'manual', notes: here }],
		['by hand, of a single step', 'outdated', { mode: 'manual', stored: nothing }],
		[
			'by hand, with the download in an earlier one',
			'outdated',
			{ mode: 'manual', notes: earlier, stored: nothing },
		],
		[
			'by a Retry that inherits one of two runs of the archive',
			'fresh',
			{ mode: 'retry', stored: { Archive: 1 } },
		],
		['by a Retry that inherits no run of the archive', 'fresh', { mode: 'retry', stored: nothing }],
		[
			'by a Retry that begins behind the archive',
			'outdated',
			{ mode: 'retry', notes: earlier, stored: { Archive: 2 } },
		],
		[
			'by a Retry with the download, if progress is saved',
			'outdated',
			{ mode: 'retry', notes: here, stored: { Archive: 2 } },
		],
		['by a Retry that n8n has not stored', 'outdated', { mode: 'retry', notes: earlier }],
		['by an evaluation', 'outdated', { mode: 'evaluation', stored: nothing }],
	])('%s, the proof is %s', async (_how, age, flow) => {
		const answers = { ...archive(), runs: [[{ json: {} }], [report()]] };
		expect(await whyNot([download, answers], flow)).toBe(age === 'fresh' ? undefined : outdated);
	});

	test('a second Download behind the archive does not make it fresh', async () => {
		const second = { ...voiceAgent('download', [downloaded]), name: 'Second' };
		const notes = { download: '1', Second: '2' };
		const stored = { Archive: 1 };
		const nodes = [download, archive(), second];
		expect(await whyNot(nodes, { mode: 'retry', notes, stored })).toBe(outdated);
	});

	test.each([
		['Second', { download: '2', Second: '1' }],
		['download', { download: '1', Second: '2' }],
	])(
		'an archive behind two Download nodes may have run for the earlier one, %s',
		async (_name, notes) => {
			const second = { ...voiceAgent('download', [downloaded]), name: 'Second', from: [] };
			const behindBoth = { ...archive(), from: ['download', 'Second'] };
			const nodes = [download, second, behindBoth];
			expect(await whyNot(nodes, { mode: 'manual', notes })).toBe(outdated);
			const bothNew = { download: '2', Second: '2' };
			expect(await whyNot(nodes, { mode: 'manual', notes: bothNew })).toBeUndefined();
		},
	);

	test.each(['Archive', 'Copy'])(
		'of two archives in parallel branches, one that is asked again is enough: not %s',
		async (inherited) => {
			const copy = { ...archive(), name: 'Copy', from: ['download'] };
			const merge = { ...node('merge', report()), from: ['Archive', 'Copy'] };
			const nodes = [download, archive(), copy, merge];
			const stored = { [inherited]: 1 };
			expect(await whyNot(nodes, { mode: 'retry', stored })).toBeUndefined();
			const both = { Archive: 1, Copy: 1 };
			expect(await whyNot(nodes, { mode: 'retry', stored: both })).toMatch(/^proofOutdated: /);
		},
	);

	test('a Download that has not come before the archive does not make it fresh', async () => {
		const nodes = [archive(), download];
		const flow: Flow = { mode: 'retry', notes: here, stored: { Archive: 1 } };
		expect(await whyNot(nodes, flow)).toBe(outdated);
	});
});
