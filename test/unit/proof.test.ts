/**
 * What proves that a recording is archived, with n8n's own way to look at what other nodes have
 * output.
 */
import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow, WorkflowDataProxy } from 'n8n-workflow';

import { itemsOfSession } from '../../nodes/VoiceAgent/recording/archive/downloads';
import { requireArchived } from '../../nodes/VoiceAgent/recording/archive/proof';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b';

test('the items of a session: each of them is looked at once', () => {
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

test('the items of a session cannot be told if one of them names none', () => {
	const context = { getInputData: () => [{}, {}] } as unknown as IExecuteFunctions;
	const guidAt = (index: number) => {
		if (index > 0) throw new Error('it names none');
		return GUID;
	};
	expect(() => itemsOfSession(context, GUID, guidAt)).toThrow('it names none');
});

/** A node before Delete, and the items of each of its runs. */
interface Before extends Partial<INode> {
	name: string;
	runs?: object[][];
	pinned?: object[];
	/** The nodes that feed it; by default, the one before it. */
	from?: string[];
}
interface Flow {
	/** How the execution was started. By default, it inherits nothing. */
	mode?: WorkflowExecuteMode;
	/** In which execution each Download node has output the recording: this one is number 2. */
	notes?: Record<string, string>;
	/** How many runs each node had when n8n stored this execution; nothing if it has not. */
	stored?: Record<string, number>;
	input?: object[];
	/** What Delete itself has output before, in a loop. */
	own?: object[][];
}

/** What n8n gives to a Delete node behind these ones. */
function deleteAfter(nodes: Before[], flow: Flow): IExecuteFunctions {
	const { mode = 'webhook', notes = {}, stored, input, own } = flow;
	const name = 'Delete';
	const type = 'n8n-nodes-voiceagent.voiceAgent';
	const all = [...nodes, { name, runs: own } as Before];
	const feedersOf = (index: number) => all[index]?.from ?? [all[index - 1]?.name ?? ''];
	const connections: Record<string, { main: Array<Array<{ node: string }>> }> = {};
	for (const [index, { name: node }] of all.entries()) {
		for (const feeder of index === 0 ? [] : feedersOf(index)) {
			const { main } = (connections[feeder] ??= { main: [[]] });
			main[0]?.push({ node, type: 'main', index: 0 } as { node: string });
		}
	}
	const workflow = new Workflow({
		nodes: all.map((node) => ({ type, parameters: {}, ...node }) as INode),
		connections: connections as never,
		active: false,
		nodeTypes: { getByNameAndVersion: () => undefined } as never,
		pinData: Object.fromEntries(nodes.map(({ name: one, pinned }) => [one, pinned])) as never,
	});
	const linked = (items: object[]) => items.map((one, item) => ({ pairedItem: { item }, ...one }));
	const runData = all.map(({ name: node, runs = [] }, index) => [
		node,
		runs.map((items) => ({
			data: { main: [linked(items)] },
			source: [{ previousNode: feedersOf(index)[0] }],
		})),
	]);
	const resultData = { runData: Object.fromEntries(runData.filter(([, runs]) => runs?.length)) };
	const previousNode = nodes.at(-1)?.name ?? '';
	const items = linked(input ?? nodes.at(-1)?.runs?.at(-1) ?? []) as INodeExecutionData[];
	const executeData = { data: { main: [items] }, source: { main: [{ previousNode }] } };
	const noted = Object.entries(notes).map(([node, execution]) => [node, { [GUID]: execution }]);
	const flowContext = { voiceAgentDownloads: Object.fromEntries(noted) as object };
	const proxyMode = nodes.some(({ pinned }) => pinned) ? 'manual' : mode;
	const proxyOf = (itemIndex: number) =>
		new WorkflowDataProxy(
			...([workflow, { resultData } as never, 0, itemIndex, name, items, {}] as const),
			...([proxyMode, {}, executeData as never] as const),
		);
	return {
		getInputData: () => items,
		getNode: () => ({ name, type }),
		getMode: () => mode,
		getParentNodes: (node: string, { depth }: { depth?: number } = {}) =>
			workflow.getParentNodes(node, 'main', depth).map((parent) => ({
				...workflow.nodes[parent],
				disabled: workflow.nodes[parent]?.disabled ?? false,
			})),
		getWorkflowDataProxy: (itemIndex: number) => proxyOf(itemIndex).getDataProxy(),
		evaluateExpression: (expression: string, itemIndex: number) =>
			workflow.expression.resolveSimpleParameterValue(
				`=${expression}`,
				...([{}, { resultData } as never, 0, itemIndex, name, items] as const),
				...([mode, {}, executeData as never] as const),
			),
		getContext: () => flowContext,
		getExecutionId: () => '2',
		getExecutionDataById: async (id: string) => {
			const runsOf = (count: number) => Array.from({ length: count }, () => ({}));
			const counts = Object.entries(stored ?? {});
			const then = Object.fromEntries(counts.map(([node, count]) => [node, runsOf(count)]));
			return id === '2' && stored && { resultData: { runData: then } };
		},
	} as unknown as IExecuteFunctions;
}

/** SHA-256 of `abc`, from FIPS 180-2. */
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const WRONG = '0'.repeat(64);
const file = (text = 'abc', more = {}) => {
	const data = { data: Buffer.from(text).toString('base64'), ...more };
	return { json: {}, binary: { data } };
};
const report = (more = {}) => ({ json: { sha256Checksum: ABC, size: '3', ...more } });
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
/** Why there is no proof; `undefined` if there is. */
const whyNot = async (nodes: Before[], flow: Flow = {}) =>
	await ask(nodes, flow).then(
		() => undefined,
		({ reason, detail }: { reason: string; detail?: string }) => `${reason}: ${detail}`,
	);

test.each<[string, Before[]]>([
	['what the archive reports', [archive()]],
	['in capitals', [archive(report({ sha256Checksum: ABC.toUpperCase(), size: 3 }))]],
	['and is passed on', [archive(), node('set', report())]],
	[
		'what a search in the archive finds',
		[{ ...archive(report({ trashed: false })), parameters: SEARCH }],
	],
	[
		'what the archive reports, and a node behind it repeats',
		[archive(), { ...node('code', { json: {} }), name: 'Other' }, node('set', report())],
	],
	['before a ledger', [archive(), node('dataTable', { json: { sessionGuid: GUID } })]],
	['before a node that outputs something else', [archive(), node('set', { json: {} })]],
	['a file that is read back', [node('ssh', file())]],
	['in combined binary mode', [node('s3', { json: { _files: file().binary } })]],
	['beside a field that is called like those files', [archive(report({ _files: 'x' }))]],
	['after another operation with a checksum', [voiceAgent('decrypt', [metadata]), archive()]],
	[
		'after a node that was archived badly',
		[archive(report({ sha256Checksum: WRONG })), node('ssh', file())],
	],
])('proven by %s', async (_what, nodes) => {
	const [recording, ...others] = await ask([download, ...nodes]);
	expect(recording).toMatchObject({ checksum: ABC, size: '3', isRecording: true });
	expect(others).toEqual([]);
});

test('an item of Download without a file is none, and a node that has not run has none', async () => {
	const failed = { json: { sessionGuid: GUID, error: 'The service does not answer' } };
	const first = { ...download, name: 'Earlier', runs: [] };
	const nodes = [first, voiceAgent('download', [downloaded, failed])];
	expect(await whyNot([...nodes, archive()])).toBeUndefined();
});

const neither = /^notArchived: the input item has neither/;
const madeBy = (name: string) => `notArchived: '${name}' has made it, and does not ask the archive`;

const errors = [
	node('set', { json: { error: '' } }),
	node('code', { json: { error: 7 } }),
	archive({ json: { error: { message: 'No space left' } } }),
];
test.each<[string, Before[], RegExp | string, Flow?, object?]>([
	['nothing', [archive({ json: { size: 3 } })], neither],
	['a report without a size', [archive(report({ size: null }))], neither],
	['a report with a list of sizes', [archive(report({ size: ['3'] }))], neither],
	[
		'a report that no node has output',
		[archive({ json: {} })],
		/may have got it from another one$/,
		{ input: [report()] },
	],
	['a file that another node has made', [node('code', file())], madeBy('code')],
	['another report over it', [node('set', report())], madeBy('set')],
	['a report of a node that only reads files', [node('s3', report())], madeBy('s3')],
	['an upload', [node('s3', file(), { resource: 'file', operation: 'upload' })], madeBy('s3')],
	[
		'an operation that an expression names',
		[node('s3', file(), { resource: 'file', operation: '={{ "download" }}' })],
		madeBy('s3'),
	],
	['the file of the download', [archive(file('abc', { origin: 'VoiceAgent' }))], neither],
	[
		'the file of the download, without its mark',
		[node('ssh', file('abc', { id: 'filesystem-v2:1' }))],
		"notArchived: 'download' has made it, and does not ask the archive",
		{},
		{ binary: { data: { data: 'filesystem-v2', id: 'filesystem-v2:1', origin: 'VoiceAgent' } } },
	],
	[
		'a file in the bin',
		[archive(report({ trashed: true }))],
		"notArchived: the file that 'Archive' has found is in the bin",
	],
	[
		'a file that may be in the bin',
		[{ ...archive(), parameters: SEARCH }, node('set', report())],
		/'Archive' does not say whether the file is in the bin: add 'trashed' to its fields$/,
	],
	[
		'a file in the bin, whose report is passed on without that',
		[archive(report({ trashed: true })), node('set', report())],
		"notArchived: the file that 'Archive' has found is in the bin",
	],
	[
		'a node that is off',
		[{ ...archive({ json: {} }), disabled: true }],
		/: 'Archive' is deactivated$/,
	],
	['an archive that fails, behind errors that say nothing', errors, /: No space left$/],
	['pinned data', [{ ...archive(), pinned: [report()] }], /the output of 'Archive' is pinned$/],
])('not proven by %s', async (_what, nodes, why, flow = {}, more = {}) => {
	const expected: unknown = typeof why === 'string' ? why : expect.stringMatching(why);
	const first = voiceAgent('download', [{ ...downloaded, ...more }]);
	expect(await whyNot([first, ...nodes], flow)).toEqual(expected);
});

test('a Download that is off has downloaded nothing, whatever it passes on', async () => {
	const error = { reason: 'notArchived', detail: undefined };
	await expect(ask([{ ...download, disabled: true }, archive()])).rejects.toMatchObject(error);
});

test('not proven if the output of Download is pinned', async () => {
	const pinned = { ...download, pinned: [downloaded] };
	expect(await whyNot([pinned, archive()])).toBe("notArchived: the output of 'download' is pinned");
});

describe('in a loop', () => {
	/** Loop Over Items, which outputs what it gets from before it and from its last node. */
	const loop = (items: object[][]): Before => ({
		...{ name: 'Loop', type: 'n8n-nodes-base.splitInBatches', runs: items },
		from: ['Copy', 'Write'],
	});
	const copy = { ...node('code', file('abc', { id: 'copy' })), name: 'Copy' };
	const passedOn = [file('abc', { id: 'copy' })];

	test.each([
		['has written it', { operation: 'write' }, false],
		['is off', { operation: 'read' }, true],
	])(
		'a node that only passes a copy on proves nothing: one that %s',
		async (_what, parameters, disabled) => {
			const write = {
				...node('readWriteFile', passedOn[0] ?? {}, parameters),
				...{ name: 'Write', from: ['Loop'], disabled },
			};
			const nodes = [download, copy, loop([passedOn, passedOn]), write];
			// The connections lead from Write back to the loop.
			expect(await whyNot(nodes, { input: passedOn })).toBe(madeBy('Copy'));
		},
	);

	test('what Delete itself has passed on, after it has refused it, proves nothing', async () => {
		const off = { ...archive(), from: ['Delete'], disabled: true };
		const fields = { ...node('set', report()), name: 'Fields', from: ['download', 'Archive'] };
		const own = [[report()]];
		expect(await whyNot([download, off, fields], { own })).toBe(
			'notArchived: each node before this one may have got it from another one',
		);
	});

	test('a node that reads, and is the only one of a loop, has made what the loop outputs', async () => {
		const loop = {
			...{ name: 'Loop', type: 'n8n-nodes-base.splitInBatches', from: ['download', 'Archive'] },
			runs: [[downloaded], [report()]],
		};
		expect(await whyNot([download, loop, { ...archive(), from: ['Loop'] }])).toBeUndefined();
	});

	test('what was read back in any turn is a proof, and each file of all turns has to be proven', async () => {
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

test('each file of each Download before is proven, or none', async () => {
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
		parameters: {
			...{ method: 'PUT', sendBody: true, contentType: 'binaryData' },
			url,
			...parameters,
		},
	});
	const get = (parameters: object = {}): Before => ({
		...node('httpRequest', file()),
		...{ name: 'Get', parameters: { url, ...parameters } },
	});

	test.each<[string, Before, Before]>([
		['where it was written', put(), get()],
		['by POST', put({ method: 'POST' }), get()],
		[
			'with other headers, another query and another access',
			put({ headerParameters: {} }),
			get({
				...{
					url: `${url}?version=1`,
					sendHeaders: true,
					headerParameters: {},
					options: { timeout: 1 },
				},
			}),
		],
		[
			'where the item said when it was written',
			put({ url: '=https://archive.example.com/{{ $json.sessionGuid }}' }),
			get(),
		],
		[
			'where the file was written by its name',
			put({ url: '=https://archive.example.com/{{ $binary.data.fileName }}' }),
			get({ url: 'https://archive.example.com/a.opus' }),
		],
		[
			'where its input said',
			put({ url: '=https://archive.example.com/{{ $input.item.json.sessionGuid }}' }),
			get(),
		],
		[
			'an address with a $ outside of its expression',
			put({ url: '=https://archive.example.com/{{ $json.sessionGuid }}/$value' }),
			get({ url: `${url}/$value` }),
		],
		[
			'where the answer says',
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
		['without a request before it', [get()], elsewhere],
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
			'where nothing was written, because it is off',
			[{ ...put(), disabled: true }, get()],
			elsewhere,
		],
		['where something is written later', [get(), { ...put(), runs: [[file()]] }], elsewhere],
		[
			'an address that it does not know',
			[put(), get({ url: '={{ $json.none }}' })],
			/cannot be told$/,
		],
		['what it sends', [put(), get({ method: 'POST' })], /'Get' sends something/],
		['with a body', [put(), get({ sendBody: true })], /'Get' sends something/],
		[
			'other pages too',
			[put(), get({ options: { pagination: {} } })],
			/'Get' has 'pagination' set/,
		],
		['by a proxy', [put(), get({ options: { proxy: 'http://x' } })], /'Get' has 'proxy' set/],
		[
			'with what is not known',
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
])('it differs: %s', async (_what, item, detail) => {
	const read = 'binary' in item ? node('ssh', item) : archive(item);
	await expect(ask([download, read])).rejects.toMatchObject({ reason: 'proofFailed', detail });
});

test.each([
	['call.opus', undefined, false],
	['call.opus', '/archive/2026', false],
	['call.opus', `/archive/${GUID}`, true],
	[`${GUID.toUpperCase()}.opus`, undefined, true],
	[`call-${ABC}.opus`, undefined, true],
	['2026_15550100_x.opus', undefined, true],
	[undefined, undefined, true],
])(
	'a file that is named %s in the folder %s: it tells recordings apart is %s',
	async (fileName, directory, isTelling) => {
		const named = { json: { ...downloaded.json, fileName: 'calls/2026_+15550100_x.opus' } };
		const read = node(
			'ssh',
			file('abc', { ...(fileName && { fileName }), ...(directory && { directory }) }),
		);
		const why = await whyNot([voiceAgent('download', [named]), read]);
		if (isTelling) expect(why).toBeUndefined();
		else expect(why).toMatch(/'ssh' has read 'call.opus', which the next call may overwrite/);
		// Google Drive keeps files of one name side by side.
		const drive = {
			...node('googleDrive', file('abc', { fileName: 'call.opus' })),
			parameters: OPERATIONS.s3 as INode['parameters'],
		};
		expect(await whyNot([voiceAgent('download', [named]), drive])).toBeUndefined();
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
		if (isTelling) expect(await proof).toHaveLength(1);
		else {
			await expect(proof).rejects.toMatchObject({
				detail: `'ssh' has read '${fileName}', which the next call may overwrite: put the SHA-256 into the name, because the session GUID has fewer than 8 letters and digits`,
			});
		}
	},
);

test('nothing was downloaded', async () => {
	const error = { reason: 'notArchived', detail: undefined };
	await expect(ask([voiceAgent('download', []), archive()])).rejects.toMatchObject(error);
});

describe('asked in this execution', () => {
	const outdated = "proofOutdated: 'Archive' has not run in this execution";
	const here = { download: '2' };
	const earlier = { download: '1' };
	const nothing = {};
	test.each<[string, Flow, string | undefined]>([
		['started by a webhook', {}, undefined],
		['started by a trigger', { mode: 'trigger' }, undefined],
		['as a sub-workflow', { mode: 'integrated' }, undefined],
		['by hand, the download too', { mode: 'manual', notes: here }, undefined],
		['by hand, a single step', { mode: 'manual', stored: nothing }, outdated],
		[
			'by hand, the download earlier',
			{ mode: 'manual', notes: earlier, stored: nothing },
			outdated,
		],
		[
			'by a Retry, with one run of the archive',
			{ mode: 'retry', stored: { Archive: 1 } },
			undefined,
		],
		['by a Retry, without a run of it', { mode: 'retry', stored: nothing }, undefined],
		[
			'by a Retry that begins behind it',
			{ mode: 'retry', notes: earlier, stored: { Archive: 2 } },
			outdated,
		],
		[
			'by a Retry, the download too, with saved progress',
			{ mode: 'retry', notes: here, stored: { Archive: 2 } },
			outdated,
		],
		['by a Retry that n8n has not stored', { mode: 'retry', notes: earlier }, outdated],
		['by an evaluation', { mode: 'evaluation', stored: nothing }, outdated],
	])('%s', async (_when, flow, expected) => {
		const answers = { ...archive(), runs: [[{ json: {} }], [report()]] };
		expect(await whyNot([download, answers], flow)).toBe(expected);
	});

	test('a second Download behind the archive does not make it fresh', async () => {
		const second = { ...voiceAgent('download', [downloaded]), name: 'Second' };
		const notes = { download: '1', Second: '2' };
		const stored = { Archive: 1 };
		const nodes = [download, archive(), second];
		expect(await whyNot(nodes, { mode: 'retry', notes, stored })).toBe(outdated);
	});

	test('a Download that has not come before the archive does not make it fresh', async () => {
		const nodes = [archive(), download];
		const flow: Flow = { mode: 'retry', notes: here, stored: { Archive: 1 } };
		expect(await whyNot(nodes, flow)).toBe(outdated);
	});
});
