/** What Delete takes for proof, and what not, in flows that somebody builds by hand. */
import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';

import {
	baseNode as node,
	byGuid,
	inARow,
	manualTrigger,
	voiceAgent,
} from '../../../harness/flow.mts';
import { listen } from '../../../harness/listen.mts';
import type { WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { NODE } from '../../../harness/nodeRun.mts';
import { nodeOf } from '../../../harness/workflows.mts';
import { publishArchive } from '../archived.mts';
import { serviceOf, shared, succeeded, type ArchiveHost } from '../suite.mts';

const UPLOAD = 'Upload recording to Google Drive';

const code = (name: string, jsCode: string) => node(name, 'code', 2, { jsCode });
const copy = code(
	'Copy',
	`const buffer = await this.helpers.getBinaryDataBuffer(0, 'data');
	const copy = await this.helpers.prepareBinaryData(buffer, 'copy', 'audio/wav');
	return [{ json: {}, binary: { data: copy }, pairedItem: 0 }];`,
);
const compress = (operation: string, more: object) =>
	node(operation, 'compression', 1.1, { operation, ...more });
const fields = (value: string) =>
	node('Fields', 'set', 3.4, { mode: 'raw', jsonOutput: value, includeOtherFields: true });
/** The recording of the first Download, whatever the item is now. */
const NAMED = "={{ $('Download').item.json.sessionGuid }}";
/** As if it had been calculated by an archive. */
const DOWNLOADED = `={{ {
	sha256Checksum: $('Download').item.json.sha256,
	size: $('Download').item.json.bytes,
} }}`;

/** @param getHost an n8n, and the archive in Google Drive */
export function proofSuite(getHost: () => ArchiveHost): void {
	suite('what Delete takes for proof', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		let folder: string;
		let drive: WorkflowNode;
		/** Answers each request with what it has sent, or with what was sent before. */
		const stored: Buffer[] = [];
		/** The session GUID of the recording that was downloaded last. */
		let downloaded = '';
		const echo = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => {
				if (request.url === '/redirect') {
					response.writeHead(302, { location: `${service()}${downloaded}` }).end();
					return;
				}
				if (request.method !== 'GET' && request.url === '/refuse') response.statusCode = 403;
				if (chunks.length > 0) stored.unshift(Buffer.concat(chunks));
				response.setHeader('Content-Type', request.headers['content-type'] ?? 'audio/wav');
				response.end(stored[0]);
			});
		});
		const echoing = shared(async () => await listen(echo));

		before(async () => {
			const { archive, folder: all } = getHost();
			await publishArchive(stack, archive.configured(), archive.credentials);
			drive = nodeOf(archive.configured(), UPLOAD);
			folder = await mkdtemp(join(all, 'proof-'));
		});

		const http = (name: string, parameters: object = {}) => {
			const url = `http://127.0.0.1:${echoing.port}/`;
			return node(name, 'httpRequest', 4.2, { url, options: {}, ...parameters });
		};
		const sent = { method: 'POST', sendBody: true };
		const binary = { ...sent, contentType: 'binaryData', inputDataFieldName: 'data' };
		const asFile = { options: { response: { response: { responseFormat: 'file' } } } };
		const service = () => `${stack.emulator.url}/api/customer/recordings/`;
		/** A request with the service's key, from a credential that says nothing of the service. */
		const withKey = async (name: string, parameters: object) => {
			const type = 'httpHeaderAuth';
			const data = { name: 'Token', value: 'demo-key' };
			const { id } = await stack.n8n.createCredential({ name: type, type, data });
			const access = { authentication: 'genericCredentialType', genericAuthType: type };
			const credentials = { [type]: { id, name: type } };
			return { ...http(name, { ...parameters, ...access, ...asFile }), credentials };
		};
		const write = () =>
			node('Write', 'readWriteFile', 1.1, {
				operation: 'write',
				fileName: `=${folder}/{{ $('Download').item.json.sessionGuid }}`,
			});
		const read = () =>
			node('Read', 'readWriteFile', 1.1, {
				operation: 'read',
				fileSelector: `=${folder}/{{ $('Download').item.json.sessionGuid }}`,
			});

		const run = async (sessionGuid: string, nodes: WorkflowNode[]) =>
			await stack.runNode({
				before: [
					voiceAgent(
						{ resource: 'recording', operation: 'download', recording: byGuid() },
						{ name: 'Download' },
					),
					...nodes,
				],
				items: [{ sessionGuid }],
				parameters: { resource: 'recording', operation: 'delete', recording: byGuid() },
			});

		const attacks: Array<[what: string, nodes: () => Promise<WorkflowNode[]> | WorkflowNode[]]> = [
			['a request whose answer repeats the file', () => [http('Echo', { ...binary, ...asFile })]],
			[
				'a file that was compressed and decompressed',
				() => [
					compress('compress', {
						outputFormat: 'gzip',
						binaryPropertyName: 'data',
						binaryPropertyOutput: 'data',
					}),
					compress('decompress', { binaryPropertyName: 'data' }),
				],
			],
			[
				'the recording of the service, with another credential',
				async () => [await withKey('Again', { url: `=${service()}{{ $json.sessionGuid }}` })],
			],
			[
				'the file of the download under another name, without what marks it',
				() => [
					code(
						'Rename',
						`return $input.all().map(({ binary }, item) => {
							const { origin, ...other } = binary.data;
							return { json: {}, binary: { other }, pairedItem: item };
						});`,
					),
				],
			],
			[
				'a checksum that Edit Fields puts over that of the archive',
				async () => {
					await getHost().archive.spoil('alter', '');
					return [drive, fields(DOWNLOADED)];
				},
			],
			[
				'a copy beside the file that was read back',
				() => [
					copy,
					http('Other', asFile),
					code(
						'Both',
						`const other = $input.first().binary.data;
						const copy = $('Copy').first().binary.data;
						return [{ json: {}, binary: { other, copy }, pairedItem: 0 }];`,
					),
				],
			],
			[
				'the recording of the service, from an address that the item has',
				async () => [
					fields(`={{ { link: '${service()}' + $json.sessionGuid } }}`),
					await withKey('Link', { url: '={{ $json.link }}' }),
				],
			],
			[
				'the recording of the service, behind a host that redirects to it',
				async () => [
					await withKey('Redirect', { url: `http://127.0.0.1:${echoing.port}/redirect` }),
				],
			],
			[
				'what a request reads at another address than the one it was written to',
				() => [
					http('Upload', binary),
					http('Other', { url: `http://127.0.0.1:${echoing.port}/other`, ...asFile }),
				],
			],
			[
				'what a request reads where the upload has failed',
				() => [
					{
						...http('Upload', { ...binary, url: `http://127.0.0.1:${echoing.port}/refuse` }),
						onError: 'continueRegularOutput',
					},
					http('Refused', { url: `http://127.0.0.1:${echoing.port}/refuse`, ...asFile }),
				],
			],
			[
				'what was there before, when the archive answers another Download',
				() => [
					write(),
					voiceAgent(
						{
							resource: 'recording',
							operation: 'download',
							recording: byGuid(NAMED),
							options: { addMetadata: true },
						},
						{ name: 'Download again' },
					),
					read(),
				],
			],
			[
				'a workflow that returns a copy',
				async () => {
					const passthrough = { inputSource: 'passthrough' };
					const start = node('Begin', 'executeWorkflowTrigger', 1.1, passthrough);
					const workflow = inARow('returns a copy', [start, copy]);
					const id = await stack.n8n.importWorkflow(workflow, {});
					await stack.n8n.activate(id);
					const workflowId = { __rl: true, mode: 'id', value: id };
					return [node('Sub-workflow', 'executeWorkflow', 1.2, { workflowId })];
				},
			],
		];
		for (const [what, nodes] of attacks) {
			test(`it does not take ${what} [promise 1]`, async () => {
				stored.splice(0, 9, Buffer.from('other'));
				const { sessionGuid } = await stack.emulator.control.addRecording({ format: 'wav' });
				downloaded = sessionGuid;
				const execution = await run(sessionGuid, await nodes());
				assert.match(String(execution.error?.message), /^The recording was not deleted: /);
				assert.equal(stack.ledger(sessionGuid).state, 'stored');
			});
		}

		const honest: Array<[what: string, nodes: () => WorkflowNode[]]> = [
			[
				'a file that a request reads back, behind other nodes',
				() => [http('Upload', binary), http('Read', asFile), fields('={{ { note: 1 } }}')],
			],
			['a file in a folder', () => [write(), read()]],
		];
		for (const [what, nodes] of honest) {
			test(`it takes ${what}`, async () => {
				const { sessionGuid } = await stack.emulator.control.addRecording({ format: 'wav' });
				const execution = await run(sessionGuid, nodes());
				assert.equal(execution.items(NODE)[0]?.json.deleted, true, execution.error?.message);
				assert.equal(stack.ledger(sessionGuid).state, 'deleted');
			});
		}

		/** Downloads, makes a copy, and passes it through a loop with these nodes; then deletes. */
		const loopOf = async (sessionGuid: string, made: WorkflowNode, inLoop: WorkflowNode[]) => {
			const { n8n, credentials } = stack;
			const about = { resource: 'recording', recording: byGuid(NAMED) };
			const { connections, ...workflow } = inARow(
				'copy in a loop',
				[
					manualTrigger(),
					voiceAgent(
						{ ...about, operation: 'download', recording: byGuid() },
						{ name: 'Download' },
					),
					made,
					node('Loop', 'splitInBatches', 3),
					...inLoop,
					voiceAgent({ ...about, operation: 'delete' }, { name: 'Delete' }),
				],
				{ pinData: { Start: [{ json: { sessionGuid } }] } },
			);
			const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
			const first = inLoop[0]?.name ?? '';
			const last = inLoop.at(-1)?.name ?? '';
			const loop = { Loop: { main: [to('Delete'), to(first)] }, [last]: { main: [to('Loop')] } };
			const all = { ...workflow, connections: { ...connections, ...loop } };
			return await n8n.run(await n8n.importWorkflow(all, credentials), { trigger: 'Start' });
		};
		const off = { disabled: true };
		const copied = fields(DOWNLOADED);
		for (const [what, made, inLoop] of [
			['a Write that is not read back', () => copy, () => [write()]],
			['a deactivated Write', () => copy, () => [{ ...write(), ...off }]],
			['a deactivated Google Drive', () => copied, () => [{ ...drive, ...off }]],
			['a deactivated Read', () => copy, () => [{ ...read(), ...off }]],
		] as Array<[string, () => WorkflowNode, () => WorkflowNode[]]>) {
			test(`it does not take a copy that a loop passes on to ${what} [promise 1]`, async () => {
				const { sessionGuid } = await stack.emulator.control.addRecording({ format: 'wav' });
				const execution = await loopOf(sessionGuid, made(), inLoop());
				assert.match(
					String(execution.error?.message),
					/not deleted: .*'(?:Copy|Fields)' has made it, and does not ask the archive$/,
				);
				assert.equal(stack.ledger(sessionGuid).state, 'stored');
			});
		}

		for (const [what, made, inLoop] of [
			['a report of Google Drive alone in a loop', () => node('Nothing', 'noOp', 1), () => [drive]],
			['a file of Read alone in a loop', () => write(), () => [read()]],
		] as Array<[string, () => WorkflowNode, () => WorkflowNode[]]>) {
			test(`it takes ${what}, with Delete behind the loop`, async () => {
				const { sessionGuid } = await stack.emulator.control.addRecording({ format: 'wav' });
				const execution = await loopOf(sessionGuid, made(), inLoop());
				assert.equal(execution.status, 'success', execution.error?.message);
				assert.equal(stack.ledger(sessionGuid).state, 'deleted');
			});
		}

		test('it does not take a file whose name is the same for all calls', async () => {
			const { sessionGuid } = await stack.emulator.control.addRecording({ format: 'wav' });
			const today = `${folder}/today.wav`;
			const execution = await run(sessionGuid, [
				node('Write', 'readWriteFile', 1.1, { operation: 'write', fileName: today }),
				node('Read', 'readWriteFile', 1.1, { operation: 'read', fileSelector: today }),
			]);
			assert.match(
				String(execution.error?.message),
				/'Read' has read 'today.wav', which the next call/,
			);
			assert.equal(stack.ledger(sessionGuid).state, 'stored');
		});

		test('it takes each file of a loop', async () => {
			const { n8n, emulator, credentials } = stack;
			const recordings = [1, 2].map(async () => await emulator.control.addRecording());
			const guids = (await Promise.all(recordings)).map(({ sessionGuid }) => sessionGuid);
			const about = { resource: 'recording', recording: byGuid() };
			const { connections, ...workflow } = inARow(
				'loop',
				[
					manualTrigger(),
					node('Loop', 'splitInBatches', 3),
					voiceAgent({ ...about, operation: 'download' }, { name: 'Download' }),
					write(),
					read(),
					node('Behind', 'noOp', 1),
					voiceAgent({ resource: 'recording', operation: 'delete' }, { name: 'Delete' }),
				],
				{ pinData: { Start: guids.map((sessionGuid) => ({ json: { sessionGuid } })) } },
			);
			const to = (name: string) => [{ node: name, type: 'main', index: 0 }];
			const loop = { Loop: { main: [[], to('Download')] }, Delete: { main: [to('Loop')] } };
			const all = { ...workflow, connections: { ...connections, ...loop } };
			const id = await n8n.importWorkflow(all, credentials);
			succeeded(await n8n.run(id, { trigger: 'Start' }));
			for (const guid of guids) assert.equal(stack.ledger(guid).state, 'deleted');
		});
	});
}
