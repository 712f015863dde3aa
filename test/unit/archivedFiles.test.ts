/** What proves that a recording is archived, with n8n's own way to look at what other nodes have output. */
import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { Workflow, WorkflowDataProxy } from 'n8n-workflow';

import {
	itemsOfSession,
	requireArchived,
} from '../../nodes/VoiceAgent/recording/archive/archivedFiles';

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
}
interface Flow {
	/** In which execution it was downloaded and checked: this one is number 2. */
	downloaded?: string;
	checked?: string;
	/** What nodes ran in execution 1, if n8n still has it. */
	earlier?: Record<string, object[]>;
	input?: object[];
}

/** What n8n gives to a Delete node behind these ones. */
function deleteAfter(nodes: Before[], flow: Flow): IExecuteFunctions {
	const { downloaded, checked, earlier, input } = { downloaded: '2', ...flow };
	const name = 'Delete';
	const type = 'n8n-nodes-voiceagent.voiceAgent';
	const names = [...nodes.map((node) => node.name), name];
	const workflow = new Workflow({
		nodes: [...nodes, { name }].map((node) => ({ type, parameters: {}, ...node }) as INode),
		connections: Object.fromEntries(
			names
				.slice(1)
				.map((next, index) => [names[index], { main: [[{ node: next, type: 'main', index: 0 }]] }]),
		),
		active: false,
		nodeTypes: { getByNameAndVersion: () => undefined } as never,
		pinData: Object.fromEntries(nodes.map(({ name: one, pinned }) => [one, pinned])) as never,
	});
	const linked = (items: object[]) => items.map((one, item) => ({ pairedItem: { item }, ...one }));
	const runData = nodes.map(({ name: node, runs = [] }, index) => [
		node,
		runs.map((items) => ({
			data: { main: [linked(items)] },
			source: [{ previousNode: names[index - 1] }],
		})),
	]);
	const resultData = { runData: Object.fromEntries(runData.filter(([, runs]) => runs?.length)) };
	const previousNode = names.at(-2) ?? '';
	const items = linked(input ?? nodes.at(-1)?.runs?.at(-1) ?? []) as INodeExecutionData[];
	const executeData = { data: { main: [items] }, source: { main: [{ previousNode }] } };
	const voiceAgent = { downloaded: { [GUID]: downloaded }, checked: { [GUID]: checked } };
	const given = [workflow, { resultData } as never, 0] as const;
	const node = [name, items, {}, 'manual', {}, executeData as never] as const;
	return {
		getInputData: () => items,
		getNode: () => ({ name, type }),
		getParentNodes: (node: string) =>
			workflow.getParentNodes(node).map((parent) => ({ ...workflow.nodes[parent] })),
		getInputSourceData: () => ({ previousNode }),
		getWorkflowDataProxy: (itemIndex: number) =>
			new WorkflowDataProxy(...given, itemIndex, ...node).getDataProxy(),
		getContext: () => ({ voiceAgent }),
		getExecutionId: () => '2',
		getExecutionDataById: async (id: string) =>
			id === '1' && earlier && { resultData: { runData: earlier } },
		getCredentials: async () => ({ baseUrl: 'https://voice.example.com', apiKey: 'key' }),
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
const node = (type: string, item: object, parameters = {}): Before => ({
	name: type === 'googleDrive' ? 'Archive' : type,
	type: `n8n-nodes-base.${type}`,
	parameters: parameters as INode['parameters'],
	runs: [[item]],
});
const archive = (item: object = report()) => node('googleDrive', item);
const proven = { checksum: ABC, size: '3' };
const ask = async (nodes: Before[], flow: Flow = {}) =>
	await requireArchived(deleteAfter(nodes, flow), GUID, [0]);

const downloads = { operation: 'download' };
const url = '=https://a.example.com/{{ $json.file }}';
const header = { genericAuthType: 'httpHeaderAuth' };
const token = { parameters: [{ name: 'token', value: 'x' }] };
test.each<[string, Before[]]>([
	['what the archive reports', [archive()]],
	['in capitals', [archive(report({ sha256Checksum: ABC.toUpperCase(), size: 3 }))]],
	['and is passed on', [archive(), node('set', report())]],
	['before a ledger', [archive(), node('dataTable', { json: { sessionGuid: GUID } })]],
	['a file that is read back', [node('ssh', file())]],
	['in combined binary mode', [node('s3', { json: { _files: file().binary } })]],
	['beside a field that is called like those files', [archive(report({ _files: 'x' }))]],
	['after another operation with a checksum', [voiceAgent('decrypt', [metadata]), archive()]],
	['after another download', [archive(), node('ftp', report(metadata.json), downloads)]],
	['a file that is asked for', [node('httpRequest', file(), { url })]],
	[
		'one whose address is an expression',
		[node('httpRequest', file(), { url: '={{ $json.url }}' })],
	],
	['one behind a header', [node('httpRequest', file(), { url, ...header })]],
	['one at the root of a host', [node('httpRequest', file(), { url: 'http://a', ...header })]],
	['one with a token', [node('httpRequest', file(), { url, jsonHeaders: '{"X-Token":1}' })]],
	['one with a token in its query', [node('httpRequest', file(), { url, queryParameters: token })]],
	['a file in a bucket of that name', [node('s3', file(), { bucketName: 'token' })]],
])('proven by %s', async (_what, nodes) => {
	expect(await ask([download, ...nodes])).toEqual(proven);
});

test('in a loop, the last turn with the session counts', async () => {
	const later = { json: { ...metadata.json, sessionGuid: OTHER } };
	const turns = voiceAgent('download', [metadata], [downloaded], [later]);
	const answers = { ...archive(), runs: [[{ json: {} }], [report()]] };
	expect(await ask([turns, answers])).toEqual(proven);
});

test('an item of Download without a file is none, and a node that has not run has none', async () => {
	const failed = { json: { sessionGuid: GUID, error: 'The service does not answer' } };
	const first = { ...download, name: 'Earlier', runs: [] };
	const nodes = [first, voiceAgent('download', [downloaded, failed])];
	expect(await ask([...nodes, archive()])).toEqual(proven);
});

const asksNot = (name: string) => `'${name}' does not ask the archive`;
const neither = /^the input item has neither/;

const errors = [
	node('set', { json: { error: '' } }),
	node('code', { json: { error: 7 } }),
	archive({ json: { error: { message: 'No space left' } } }),
];
test.each<[string, Before[], RegExp | string, Flow?]>([
	['nothing', [archive({ json: { size: 3 } })], neither],
	['a report that is not passed on', [archive(), node('set', { json: {} })], neither],
	['a report that no node has output', [archive({ json: {} })], neither, { input: [report()] }],
	['a file that another node has made', [node('code', file())], asksNot('code')],
	['another report', [archive(report({ size: '4' })), node('set', report())], asksNot('set')],
	['another file', [archive(file('xyz')), node('code', file())], asksNot('code')],
	['a report of a node that only reads files', [node('s3', report())], asksNot('s3')],
	['the file of the download', [archive(file('abc', { origin: 'VoiceAgent' }))], neither],
	['a file in the bin', [archive(report({ trashed: true }))], 'it is in the bin'],
	[
		'a node that is off',
		[{ ...archive({ json: {} }), disabled: true }],
		/^'Archive' is deactivated$/,
	],
	['an archive that fails, behind errors that say nothing', errors, 'No space left'],
	['pinned data', [{ ...archive(), pinned: [report()] }], "the output of 'Archive' is pinned"],
])('not proven by %s', async (_what, nodes, detail, flow = {}) => {
	const expected = typeof detail === 'string' ? detail : expect.stringMatching(detail);
	const error = { reason: 'notArchived', detail: expected };
	await expect(ask([download, ...nodes], flow)).rejects.toMatchObject(error);
});

test.each([
	{ method: 'POST' },
	{ requestMethod: 'PUT' },
	{ sendBody: true },
	{ nodeCredentialType: 'voiceAgentApi' },
	{ url: 'https://VOICE.example.com/x' },
	{ url: '={{ $env.HOST }}/api/Customer/recordings/{{ $json.sessionGuid }}' },
	{ url: '={{ $json.url }}', headerParameters: token },
	{ url: 'https://proxy.example.com/1', jsonHeaders: '{ "Token": "x" }' },
	{ url: 'https://proxy.example.com/1', jsonHeaders: '={{ { Token: $json.key } }}' },
	{ url: 'https://proxy.example.com/1', jsonHeaders: "={{ { ['Token']: $json.key } }}" },
	{ url: 'http://a', headerParameters: { parameters: [{ name: "={{ 'Token' }}" }] } },
	{ url: '={{ $json.url }}', ...header },
	{ url: '={{ $json.url }}', authentication: 'headerAuth' },
	{ url: '={{ $json.url }}?for=https://a.example.com/', ...header },
	{ url: '={{ $json.url }}', jsonHeaders: '={{ $json.headers }}' },
	{ url: '={{ $json.url }}', headerParametersJson: '= {{ $json.headers }}' },
	{ url: '= {{ $json.url }}', genericAuthType: 'httpCustomAuth' },
	{ url: '=https://{{ $json.host }}/1', ...header },
	{ url: '=https://voice.{{ $json.domain }}/1', ...header },
])('not proven by a request with %j', async (parameters) => {
	const nodes = [download, node('httpRequest', file(), parameters)];
	await expect(ask(nodes)).rejects.toMatchObject({ detail: asksNot('httpRequest') });
});

test.each([
	[
		'another checksum',
		report({ sha256Checksum: WRONG }),
		`checksum ${ABC} of the download, ${WRONG} in the archive`,
	],
	['a list of sizes', report({ size: ['3'] }), 'size 3 of the download, no size in the archive'],
	['another size', report({ size: 4 }), 'size 3 of the download, 4 in the archive'],
	['no size', report({ size: null }), 'size 3 of the download, no size in the archive'],
	['another file', file('ab'), expect.stringContaining('checksum')],
])('it differs: %s', async (_what, item, detail) => {
	const error = { reason: 'proofFailed', detail };
	await expect(ask([download, archive(item)])).rejects.toMatchObject(error);
});

test('the metadata is not there, or nothing was downloaded', async () => {
	for (const items of [[downloaded, metadata], []]) {
		const first = voiceAgent('download', items);
		const error = { reason: 'notArchived', detail: undefined };
		await expect(ask([first, archive()])).rejects.toMatchObject(error);
	}
});

const ran = { Archive: [{ data: {} }, { data: {} }] };
const failed = { Archive: [{ data: {} }, { error: 'no answer' }] };
test.each<[string, Flow, string]>([
	['in this execution', {}, 'proven'],
	['in an execution that is not known', { downloaded: undefined }, 'proofOutdated'],
	['in one of which n8n has nothing', { downloaded: '1' }, 'proofOutdated'],
	['and asked for in an earlier one', { downloaded: '1', earlier: ran }, 'proofOutdated'],
	['before the archive did not answer', { downloaded: '1', earlier: failed }, 'proven'],
	['before the archive was asked', { downloaded: '1', earlier: {} }, 'proven'],
	['and checked before', { downloaded: '1', checked: '1', earlier: {} }, 'proofOutdated'],
])('downloaded %s: %s', async (_when, flow, expected) => {
	const runs = [[report()], [report()]];
	const outcome = ask([download, { ...archive(), runs }], flow).then(
		() => 'proven',
		({ reason }: { reason: string }) => reason,
	);
	expect(await outcome).toBe(expected);
});
