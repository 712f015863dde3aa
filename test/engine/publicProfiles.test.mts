/**
 * Services that are not the emulator: lists and refusals of public APIs, with recordings in them.
 * Explore finds out how they answer; the emulator from that profile answers the same, and the
 * proposed settings are enough to download and delete, or the report says that nothing can be set.
 */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { createEmulator } from '../../emulator/src/index.mts';
import type { Credential, Execution } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { accountData, API_KEY } from '../../harness/serviceAccess.mts';
import { root } from '../../scripts/paths.mjs';
import { sharedEngine } from './engines.mts';
import { type Explored, exploredWith, formOf } from './exploring.mts';
import { getMany, inRecording } from './oneRecording.mts';
import {
	type PublicCall,
	publicService,
	recordForms,
	type Refusals,
	refusals as allRefusals,
	refusalsOf,
} from './publicService.mts';

interface List {
	name: string;
	list: string;
	complete: unknown;
	first?: unknown;
	second?: unknown;
	secondWhen?: Array<[parameter: string, value: string]>;
}

const engine = await sharedEngine();
const read = (name: string) =>
	JSON.parse(readFileSync(join(root, 'test/vectors/publicApis', name), 'utf8')) as unknown;
const lists = read('lists.json') as List[];
const AUDIO = readFileSync(join(root, 'emulator/src/audio/samples/sample.mp3'));
const AUDIO_SHA256 = createHash('sha256').update(AUDIO).digest('hex');
const HOUR = 3_600_000;
/** `PUBLIC_APIS_EVERY=1` tries all of them, which takes minutes. */
const EVERY = Number(process.env.PUBLIC_APIS_EVERY ?? 14);
/** Which one of so many is tried: all of them can be tried in parts. */
const PART = Number(process.env.PUBLIC_APIS_PART ?? 0);

/** Three calls, the one that ended first first. */
function threeCalls(isUpper: boolean): PublicCall[] {
	const now = Math.floor(Date.now() / 1000) * 1000;
	return [3, 2, 1].map((hours) => ({
		sessionGuid: isUpper ? randomUUID().toUpperCase() : randomUUID(),
		to: `+4915228817${hours}00`,
		from: '+15550100',
		endMs: now - hours * HOUR,
		seconds: 40 + hours,
	}));
}

async function credentialOf(baseUrl: string, settings: object = {}): Promise<Credential> {
	const data = { ...accountData(baseUrl), ...settings };
	return await engine.n8n.createCredential({ name: 'Public', type: 'voiceAgentApi', data });
}

async function run(
	voiceAgentApi: Credential,
	parameters: Record<string, unknown>,
	sessionGuid = '',
): Promise<Execution> {
	return await engine.runNode({
		parameters,
		items: [{ sessionGuid }],
		credentials: { voiceAgentApi },
		settings: { onError: 'continueRegularOutput' },
	});
}

/** What Get Many says about each recording. */
async function listed(credential: Credential): Promise<unknown> {
	const execution = await run(credential, getMany());
	return execution.items(NODE).map(({ json }) => {
		const { sessionGuid, to, from, endedAt, error } = json;
		return { sessionGuid, to, from, endedAt, error };
	});
}

/** An emulator from a profile, with these calls. */
async function withTwin(
	profile: object,
	calls: readonly PublicCall[],
	use: (url: string) => Promise<void>,
): Promise<void> {
	const twin = await createEmulator({ profile });
	try {
		for (const { sessionGuid, to, from, endMs, seconds } of calls) {
			const endedAt = new Date(endMs).toISOString();
			const call = { sessionGuid, to, from, endedAt, durationSeconds: seconds };
			await twin.control.addRecording({ ...call, format: 'mp3', content: AUDIO });
		}
		await use(twin.url);
	} finally {
		await twin.close();
	}
}

interface PublicApi {
	list: List;
	form: keyof typeof recordForms;
	refusals: Refusals;
}

async function assertTwin({ list, form, refusals }: PublicApi): Promise<void> {
	const calls = threeCalls(form === 'PascalCase');
	const names = namesIn([list, refusals, calls.map((call) => recordForms[form](call))]);
	const isName = (name: string) => names.has(name);
	const given = { list, calls, form, refusals, audio: AUDIO, apiKey: API_KEY };
	const service = await publicService(given);
	const deleteRecording = calls[0]?.sessionGuid ?? '';
	const options = { placeCallTo: '+15550123', deleteRecording, deleteWithoutProof: true };
	try {
		const first = await exploredWith(engine, await credentialOf(service.url), options);
		const { settings } = first.profile;
		await withTwin(first.profile, calls, async (twin) => {
			const second = await exploredWith(engine, await credentialOf(twin), options);
			// A name that may be data, such as that of a map, is another one in the profile.
			const { path } = first.profile.list as { path: string };
			const rows = JSON.stringify(second.rows).replaceAll(path, list.list);
			assert.deepEqual(JSON.parse(rows), first.rows);
			assert.deepEqual(formOf(second, { isName }), formOf(first, { isName }));
			assert.deepEqual(
				{ ...second.profile.settings, listField: undefined },
				{ ...settings, listField: undefined },
			);
		});
		service.restore();
		await withTwin(first.profile, calls, async (twin) => {
			const entered = enteredSettings(first);
			const atService = await credentialOf(service.url, entered);
			const atTwin = await credentialOf(twin, settings);
			assert.deepEqual(await listed(atTwin), await listed(atService));
			for (const credential of [atService, atTwin]) {
				const download = await run(credential, inRecording('download'), calls[1]?.sessionGuid);
				const { sha256, error } = download.items(NODE)[0]?.json ?? {};
				assert.equal(sha256, AUDIO_SHA256, String(error));
				const deleted = await run(credential, inRecording('delete'), calls[1]?.sessionGuid);
				const json = deleted.items(NODE)[0]?.json ?? {};
				assert.ok(json.deleted === true || saysNothingProves(first), JSON.stringify(json));
			}
		});
	} finally {
		await service.close();
	}
}

/** Explores a service that refuses with status 200, and its twin. */
async function assertRefusedAsSuccess(list: List, body: unknown): Promise<void> {
	const refusal = { status: 200, body };
	const refusals = { key: refusal, unknown: refusal };
	const form = 'camelCase';
	const calls = threeCalls(false);
	const given = { list, calls, form, refusals, audio: AUDIO, apiKey: API_KEY } as const;
	const service = await publicService(given);
	const asJson = /^Status 200, and /;
	try {
		const credential = await credentialOf(service.url);
		const first = await exploredWith(engine, credential, {});
		for (const question of [
			'What is answered without an API key?',
			'What is answered to a wrong API key?',
			'What is answered for an unknown session GUID?',
			'What is answered for a malformed session GUID?',
		]) {
			const row = first.rows.find((one) => one.question === question);
			assert.match(String(row?.answer), asJson, question);
			assert.equal(row?.recognized, false, question);
		}
		await withTwin(first.profile, calls, async (url) => {
			const twin = await credentialOf(url, first.profile.settings);
			const second = await exploredWith(engine, twin, {});
			assert.deepEqual(second.rows, first.rows);
			const { error: atService } = await failedDownload(credential);
			const { error: atTwin, sha256 } = await failedDownload(twin);
			assert.ok(sha256 === undefined && typeof atService === 'string' && atService !== '');
			assert.equal(reasonIn(atTwin), reasonIn(atService));
		});
	} finally {
		await service.close();
	}
}

/** Downloads a recording that no service has. */
async function failedDownload(credential: Credential) {
	const execution = await run(credential, inRecording('download'), randomUUID());
	return execution.items(NODE)[0]?.json ?? {};
}

/** The headline of an error, without what a body says. */
function reasonIn(error: unknown): string {
	return String(error).slice(0, 30);
}

/** What a person enters: where the profile says that a name is not the true one, the report's. */
function enteredSettings({ rows, profile }: Explored): Explored['profile']['settings'] {
	const { settings, notes = [] } = profile as Explored['profile'] & { notes?: string[] };
	const isReplaced = notes.some((note) => note.startsWith("'listField' is not what to enter"));
	if (!isReplaced) return settings;
	const inReport = rows.flatMap(({ setting }) => /List Field: ([^;]+)/.exec(String(setting)) ?? []);
	assert.notEqual(inReport[1], settings.listField);
	return { ...settings, listField: inReport[1] ?? '' };
}

/** Whether the report says in words that nothing proves how a long list continues. */
function saysNothingProves({ rows }: Explored): boolean {
	const row = rows.find(({ question }) => question === 'How does a long list continue?');
	const isInWords = /^Nothing can be set: |nothing in the answers proves it$/;
	return row?.recognized === false && isInWords.test(String(row.setting));
}

/** All names of fields that are known not to be data. */
function namesIn(value: unknown, names = new Set<string>()): Set<string> {
	if (typeof value !== 'object' || value === null) return names;
	for (const [name, inner] of Object.entries(value)) {
		names.add(name);
		namesIn(inner, names);
	}
	return names;
}

suite('an emulator from the profile of a public API', () => {
	const forms = Object.keys(recordForms) as Array<keyof typeof recordForms>;
	test('answers as that API does', async () => {
		const wrong: string[] = [];
		for (const [index, list] of lists.entries()) {
			if (index % EVERY !== PART) continue;
			const form = forms[index % forms.length] ?? 'camelCase';
			const refusals = refusalsOf(index);
			try {
				await assertTwin({ list, form, refusals });
			} catch (error) {
				wrong.push(`#${index} ${list.name} ${form}: ${(error as Error).message}`);
			}
		}
		assert.deepEqual(wrong, []);
	});

	test('refuses with the status of a success as that API does, and nothing counts as done', async () => {
		const wrong: string[] = [];
		const list = lists.find(({ list: path, first }) => path !== '' && first === undefined);
		assert.ok(list);
		for (const [index, { body }] of allRefusals.entries()) {
			if (index % EVERY !== PART) continue;
			try {
				await assertRefusedAsSuccess(list, body);
			} catch (error) {
				wrong.push(`#${index}: ${(error as Error).message}`);
			}
		}
		assert.deepEqual(wrong, []);
	});
});
