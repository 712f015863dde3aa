/**
 * The inventory of docs/data-protection.md: calls happen in a real n8n, and then all stores are
 * searched for what these calls are known by. Each line of the table says what is there, and how
 * it goes.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { inARow, manualTrigger, voiceAgent } from '../../harness/flow.mts';
import { createLedger, keyOf, LEDGER, rowOf } from '../../harness/ledger.mts';
import { packedPackage, startN8n, type N8n, type Workflow } from '../../harness/n8n/n8n.mts';
import { pageWorkflow, VIEWER, viewerAuthorization } from '../../harness/pages.mts';
import { findSecrets, filesBelow, linesOf, valuesIn, type Source } from '../../harness/secrets.mts';
import { addService, type Stack } from '../../harness/stack.mts';
import { startChat } from '../../harness/standIns/chat.mts';
import { startOpenAi } from '../../harness/standIns/openAi.mts';
import {
	archiveToFolder,
	nodeOf,
	readWorkflow,
	sweepInto,
	withLedger,
	withSettings,
} from '../../harness/workflows.mts';
import { until } from '../../harness/until.mts';
import { readPages } from '../docs/pages.mts';
import { Agent } from './agent/agent.mts';
import { sendCallEndsTo } from './archived.mts';
import { SECRETS } from './faults/scene.mts';
import { succeeded } from './suite.mts';

const HOUR = 3_600_000;
const NUMBER = '+4930555017743';
const NAME = 'Canaria Inventarova';
const SPOKEN = 'the canary sings at a quarter past nine';
const SUMMARY = { who: SPOKEN, wanted: 'x', agreed: 'x', nextStep: 'x', language: 'en' };
const OTHER_PASSWORD = 'canary-of-another-password';

/** What the cells of the table call it. */
const WORDS = ['audio', 'number', 'name', 'session GUID', 'transcript'] as const;
type Word = (typeof WORDS)[number];

const [page] = readPages(['docs/data-protection.md']);
const table = new Map(
	[...String(page?.text).matchAll(/^\| (.+?) +\|(.+?)\|.+?\|.+?\|(.+?)\|$/gm)].map(
		([, store = '', holds = '', emptied = '']) => [store, { holds, emptied }],
	),
);
for (const head of ['Store', [...table.keys()].find((store) => store.startsWith('--'))]) {
	table.delete(String(head));
}
const lineOf = (store: string) => table.get(store) ?? assert.fail(`no line for ${store}`);
const said = (store: string) => WORDS.filter((word) => lineOf(store).holds.includes(`\`${word}\``));

suite('the inventory', { concurrency: 1 }, () => {
	const ends: Array<() => unknown> = [];
	let story: Story;
	before(async () => void (story = await tell(ends)));
	after(async () => {
		for (const end of ends.reverse()) await end();
	});

	test('each store holds what its line says, and no other store holds anything', async () => {
		const found = await story.search();
		const lines = Object.fromEntries([...found.keys()].map((store) => [store, said(store)]));
		assert.deepEqual(Object.fromEntries(found), lines);
		// A backup has what the database and the archive have.
		const searched = [...found.keys(), 'Backups'].sort();
		assert.deepEqual([...table.keys()].sort(), searched);
	});

	test('no store has a secret of the account', async () => {
		assert.deepEqual(await story.secrets(), []);
	});

	test('what is emptied as the lines say is gone', async () => {
		await story.empty();
		// n8n deletes what it does not save a little later.
		await until(async () => (await story.search()).get('Executions')?.length === 0);
		const found = await story.search();
		const stays = [...found].filter(([, words]) => words.some((word) => word !== 'session GUID'));
		const byHand = stays.filter(([store]) => !/forget-caller|xecution/.test(lineOf(store).emptied));
		assert.deepEqual(stays, byHand);
		assert.deepEqual(found.get('Ledger'), []);
	});
});

type Story = Awaited<ReturnType<typeof tell>>;

/** @param ends what is to be ended afterwards */
async function tell(ends: Array<() => unknown>) {
	const home = await mkdtemp(join(tmpdir(), 'voiceagent-inventory-'));
	const folder = await mkdtemp(join(tmpdir(), 'voiceagent-inventory-archive-'));
	for (const one of [home, folder]) {
		ends.push(async () => await rm(one, { recursive: true, maxRetries: 3 }));
	}
	const log: string[] = [];
	const n8n = await startN8n({
		userFolder: home,
		packages: [packedPackage()],
		allowedPaths: [folder],
		env: { EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL: '0.05' },
		log: (line) => void log.push(line),
	});
	ends.push(async () => await n8n.stop());
	const chat = await startChat();
	ends.push(() => chat.close());
	const provider = await startOpenAi({
		chat: () => ({ content: JSON.stringify(SUMMARY) }),
		transcribe: () => ({ text: SPOKEN, language: 'english', duration: 9 }),
	});
	ends.push(async () => await provider.close());
	const stack = await addService(n8n, {}, SECRETS);
	ends.push(async () => await stack.stop());
	const openAiApi = await n8n.createCredential(provider.credential);
	const viewer = { name: 'Viewer', type: 'httpBasicAuth', data: VIEWER };
	const httpBasicAuth = await n8n.createCredential(viewer);
	const credentials = { ...stack.credentials, openAiApi, httpBasicAuth };
	Object.assign(stack.credentials, credentials);
	const atService = await happen(stack, folder, chat.url);
	const agent = await Agent.publish(() => n8n, 'agent-about-recordings');
	ends.push(async () => await agent.stop());
	const listed = await agent.stack.emulator.control.addRecording({ to: NUMBER });
	const asked = [{ tool: 'list_recordings', input: {} }];
	await (await agent.isTold('Which recordings are there?', [asked])).hears();
	const archived = await storedIn(folder);
	const recordings = [...stack.emulator.control.recordings(), listed];
	const guids = recordings.map(({ sessionGuid }) => sessionGuid);
	const plain = stack.emulator.control.recordings().find(({ encrypted }) => !encrypted);
	const audio = archived.find(
		({ name }) => name.includes(String(plain?.sessionGuid)) && name.endsWith('.opus'),
	)?.content;
	assert.ok(audio && audio.length > 2000);
	const needle = audio.subarray(1000, 1064);

	/** All stores, with where to look. */
	async function stores(): Promise<Map<string, Source[]>> {
		const named = new Map<string, Source[]>(
			['Archive', 'Binary storage', 'Logs of n8n'].map((name) => [name, []]),
		);
		const add = (name: string, ...sources: Source[]) =>
			named.set(name, [...(named.get(name) ?? []), ...sources]);
		for (const { name, content } of await storedIn(folder)) {
			add('Archive', { name, chunks: [Buffer.from(`${name}\n`), content] });
		}
		const database = join(home, '.n8n', 'database.sqlite');
		const tables = await dataTables(n8n);
		for (const source of valuesIn(database)) {
			const chunks = [...(source.chunks as Iterable<Uint8Array>)];
			const store = storeOf(source.name.replace('table ', ''), tables);
			add(store, { name: source.name, chunks });
		}
		for await (const source of filesBelow(join(home, '.n8n'))) {
			if (/database\.sqlite/.test(source.name)) continue;
			const isLog = /\.log$|journal$/.test(source.name);
			const isStored = /[\\/](?:storage|binaryData)[\\/]/.test(source.name);
			add(isStored ? 'Binary storage' : isLog ? 'Logs of n8n' : 'Other', source);
		}
		add('Logs of n8n', linesOf('log', log));
		add('Chat and mail', linesOf('chat', chat.messages));
		add('Service', ...atService);
		for (const { requests } of [provider, agent.model]) {
			const lines = requests.map((one) => JSON.stringify(one));
			add('Models', linesOf('requests', lines));
		}
		add('Models', ...provider.audio.map(({ name, content }) => ({ name, chunks: [content] })));
		return named;
	}

	async function wordsIn(sources: Source[]): Promise<Word[]> {
		const guidWords = Object.fromEntries(
			guids.flatMap((guid) => [
				[`session GUID ${guid}`, guid],
				[`session GUID ${guid} in capitals`, guid.toUpperCase()],
			]),
		);
		const wanted = { number: NUMBER, name: NAME, transcript: SPOKEN, ...guidWords };
		const held: Source[] = [];
		for (const { name, chunks } of sources) {
			const all: Uint8Array[] = [];
			for await (const chunk of chunks) all.push(chunk);
			held.push({ name, chunks: [Buffer.concat(all)] });
		}
		const found = (await findSecrets(wanted, held)).map(({ secret }) => secret);
		const hasAudio = held.some(({ chunks }) =>
			[...(chunks as Iterable<Uint8Array>)].some((one) => Buffer.from(one).includes(needle)),
		);
		return WORDS.filter((word) =>
			word === 'audio' ? hasAudio : found.some((one) => one.startsWith(word)),
		);
	}

	return {
		async search(): Promise<Map<string, Word[]>> {
			const found = new Map<string, Word[]>();
			for (const [store, sources] of await stores()) {
				const words = await wordsIn(sources);
				if (store !== 'Other' || words.length > 0) found.set(store, words);
			}
			return found;
		},
		async secrets() {
			const wanted = { ...SECRETS, OTHER_PASSWORD };
			const sources = [...(await stores()).values()].flat();
			return await findSecrets(wanted, sources);
		},
		/** As the lines say, where that does not need a person. */
		async empty(): Promise<void> {
			const workflow = withSettings(readWorkflow('forget-caller'), {
				number: NUMBER,
				reallyRemove: true,
				folderFilesAreGone: true,
			});
			for (const { name } of await storedIn(folder)) await rm(join(folder, name));
			const unused = /\.(?:googleDrive|ftp|httpRequest)$/;
			for (const node of workflow.nodes) if (unused.test(node.type)) node.disabled = true;
			workflow.settings = { ...workflow.settings, saveManualExecutions: true };
			const id = await n8n.importWorkflow(workflow, credentials);
			const run = succeeded(await n8n.run(id, { trigger: 'When you execute it' }));
			const [report] = run.items('Report what goes');
			assert.deepEqual([report?.json.notRemoved, report?.json.problems], [[], []]);
			for (const { state } of stack.emulator.control.recordings()) assert.notEqual(state, 'stored');
			const filters = {};
			const deleteBefore = new Date(Date.now() + HOUR).toISOString();
			await n8n.rest('POST', '/rest/executions/delete', { deleteBefore, filters });
			atService.length = 0;
		},
	};
}

/** Which line of the inventory a table of n8n's database belongs to. */
function storeOf(table: string, dataTables: Map<string, string>): string {
	const name = dataTables.get(table);
	if (name === LEDGER) return 'Ledger';
	if (name === 'VoiceAgent accesses') return 'Accesses';
	if (name === 'VoiceAgent notices') return 'Notices';
	if (name !== undefined) return 'Campaigns and consents';
	if (table === 'processed_data') return 'Keys of calls';
	if (table.startsWith('execution_')) return 'Executions';
	return table.startsWith('workflow_') ? 'Workflows' : 'Other';
}

/** The names of the data tables, by the tables in n8n's database. */
async function dataTables(n8n: N8n): Promise<Map<string, string>> {
	const { id } = await n8n.rest<{ id: string }>('GET', '/rest/projects/personal');
	type Listed = { data: Array<{ id: string; name: string }> };
	const { data } = await n8n.rest<Listed>('GET', `/rest/projects/${id}/data-tables`);
	return new Map(data.map((one) => [`data_table_user_${one.id}`, one.name]));
}

async function storedIn(folder: string): Promise<Array<{ name: string; content: Buffer }>> {
	const names = await readdir(folder);
	return await Promise.all(
		names.map(async (name) => ({ name, content: await readFile(join(folder, name)) })),
	);
}

/** The calls, and what people do with them. Returns what the service had of the first one. */
async function happen(stack: Stack, folder: string, chatUrl: string): Promise<Source[]> {
	const { n8n, emulator, credentials } = stack;
	const { control } = emulator;
	const load = async (workflow: Workflow) => await n8n.importWorkflow(workflow, credentials);
	const ledger = await createLedger(n8n);
	const notice = readWorkflow('failure-notice');
	nodeOf(notice, 'Post the notice to your chat').parameters.url = chatUrl;
	const errorWorkflow = await load(notice);
	await n8n.activate(errorWorkflow);
	const archiving = withLedger(archiveToFolder(folder));
	archiving.settings = { ...archiving.settings, errorWorkflow };
	const archiveId = await load(archiving);
	await n8n.activate(archiveId);
	await sendCallEndsTo(stack, archiveId);

	const plain = await control.addRecording({ to: NUMBER });
	const headers = { Token: SECRETS.apiKey };
	const url = `${emulator.url}/api/customer/recordings`;
	const answers = await Promise.all(
		[url, `${url}/${plain.sessionGuid}`].map(async (one) => await fetch(one, { headers })),
	);
	const bodies = await Promise.all(answers.map(async (one) => await one.arrayBuffer()));
	const said = { event: 'CallEnd', to: NUMBER, callerName: NAME };
	const end = async (sessionGuid: string) =>
		await control.sendCallEnd(sessionGuid, { ...said, sessionGuid });
	await end(plain.sessionGuid);
	await rowOf(ledger, plain.sessionGuid, ({ deletedAt }) => Boolean(deletedAt));

	// The sweep finds one.
	const endedAt = new Date(control.now() - 2 * HOUR).toISOString();
	const missed = await control.addRecording({ to: NUMBER, endedAt, password: SECRETS.password });
	const sweep = await load(sweepInto(archiveId));
	await n8n.activate(sweep);
	await rowOf(ledger, missed.sessionGuid, ({ deletedAt }) => Boolean(deletedAt));

	const failing = await control.addRecording({ to: NUMBER, password: OTHER_PASSWORD });
	await end(failing.sessionGuid);
	await rowOf(ledger, failing.sessionGuid, ({ status }) => status === 'failed');

	const transcribe = readWorkflow('transcribe-and-file');
	for (const name of ['Transcribe the recording', 'Sum up the call']) {
		nodeOf(transcribe, name).credentials = { openAiApi: {} };
	}
	succeeded(await n8n.run(await load(transcribe), { trigger: 'Every 15 minutes' }));

	await n8n.activate(await load(pageWorkflow('find-a-call')));
	const authorization = viewerAuthorization();
	for (const query of [`q=${encodeURIComponent(NUMBER)}`, `call=${plain.sessionGuid}`]) {
		const address = `${n8n.url}/webhook/voiceagent/find-a-call?${query}`;
		const shown = await (await fetch(address, { headers: { authorization } })).text();
		assert.ok(shown.includes(plain.sessionGuid.toLowerCase()), shown);
	}

	const campaign = await load(readWorkflow('call-campaign'));
	await n8n.run(campaign, { trigger: 'Every 20 seconds' });
	await campaignCallEnds(stack, campaign, plain.sessionGuid, end);
	const call = { specifyBody: 'json', jsonBody: JSON.stringify({ to: NUMBER }) };
	const options = { placeOnce: NUMBER };
	const make = voiceAgent({ resource: 'call', operation: 'make', ...call, options });
	const once = await load(inARow('A call, once', [manualTrigger(), make]));
	succeeded(await n8n.run(once, { trigger: 'Start' }));
	return bodies.map((body, index) => ({ name: `answer ${index}`, chunks: [Buffer.from(body)] }));
}

/** A call of the campaign ends, and its workflow notes what the webhook says. */
async function campaignCallEnds(
	stack: Stack,
	campaignId: string,
	sessionGuid: string,
	end: (sessionGuid: string) => Promise<unknown>,
): Promise<void> {
	const { n8n } = stack;
	const table = await n8n.dataTable('VoiceAgent campaign');
	const recordingKey = keyOf(sessionGuid);
	await table?.insert({ number: NUMBER, status: 'called', sessionGuid, recordingKey });
	await n8n.activate(campaignId);
	await sendCallEndsTo(stack, campaignId);
	await end(sessionGuid);
	await until(async () => (await table?.rows())?.some(({ outcome }) => outcome));
	await n8n.deactivate(campaignId);
}
