/** What Delete does not take for proof, in flows that somebody builds by hand. */
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
/** As if it had been calculated by an archive. */
const DOWNLOADED = `={{ { sha256Checksum: $('Download').item.json.sha256, size: $('Download').item.json.bytes } }}`;

/** @param getHost an n8n, and the archive in Google Drive */
export function proofSuite(getHost: () => ArchiveHost): void {
	suite('proof that n8n itself has made', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		let folder: string;
		let drive: WorkflowNode;
		/** Answers each request with what it has sent, or with what was sent before. */
		const stored: Buffer[] = [];
		const echo = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => {
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
		const write = () =>
			node('Write', 'readWriteFile', 1.1, {
				operation: 'write',
				fileName: `=${folder}/{{ $json.sessionGuid }}`,
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
				async () => {
					const type = 'httpHeaderAuth';
					const data = { name: 'Token', value: 'demo-key' };
					const { id } = await stack.n8n.createCredential({ name: type, type, data });
					const url = `=${stack.emulator.url}/api/customer/recordings/{{ $json.sessionGuid }}`;
					const access = { authentication: 'genericCredentialType', genericAuthType: type };
					const credentials = { [type]: { id, name: type } };
					return [{ ...http('Again', { url, ...access, ...asFile }), credentials }];
				},
			],
			[
				'the file of the download under another name, without what marks it',
				() => [
					code(
						'Rename',
						`return $input.all().map(({ binary: { data: { origin, ...data } } }, item) => ({ json: {}, binary: { other: data }, pairedItem: item }));`,
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
						`return [{ json: {}, binary: { other: $input.first().binary.data, copy: $('Copy').first().binary.data }, pairedItem: 0 }];`,
					),
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
			test(`${what} [promise 1]`, async () => {
				stored.splice(0, 9, Buffer.from('other'));
				const { sessionGuid } = await stack.emulator.control.addRecording({ format: 'wav' });
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
					...[write(), read(), node('Behind', 'noOp', 1)],
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
