/** Connection: Explore finds out how the service answers, what to set, and changes nothing. */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';

import type { Execution } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { WEBHOOK_SECRET } from '../../harness/serviceAccess.mts';
import { root } from '../../scripts/paths.mjs';
import { apiCredential, ownEngine, sharedEngine } from './engines.mts';
import { always, getMany } from './oneRecording.mts';
import { assertFailed } from './outcome.mts';
import { ownService, type Reply, type Request } from './ownService.mts';

const engine = await sharedEngine();
const parameters = { resource: 'connection', operation: 'explore' };
const AUDIO = readFileSync(join(root, 'emulator/src/audio/samples/sample.mp3'));
const LIST = '/api/customer/recordings';
const HOUR = 3_600_000;

/** What Explore says about something: the answer, whether it is recognized, and the setting. */
function said(execution: Execution, question: RegExp) {
	const row = execution.items(NODE).find(({ json }) => question.test(String(json.question)));
	assert.ok(row, execution.nodeError(NODE)?.description ?? String(question));
	const { answer, recognized, setting } = row.json;
	return { answer: String(answer), recognized, setting };
}

interface Profile {
	version: number;
	exchanges: Array<{ name: string; request: Record<string, unknown>; answer?: unknown }>;
	webhooks: unknown[];
	settings: Record<string, string | boolean>;
}

async function profileOf(execution: Execution): Promise<Profile> {
	const [first, ...others] = execution.items(NODE);
	const file = first?.binary?.data;
	assert.ok(file, execution.nodeError(NODE)?.message);
	assert.equal(file.fileName, 'service-profile.json');
	assert.ok(others.every(({ binary }) => binary === undefined));
	return JSON.parse((await engine.n8n.binary(file)).toString()) as Profile;
}

/** A service that lists this, and has a recording for some identifiers. */
async function listing(
	t: TestContext,
	list: (request: Request) => unknown,
	recordings: readonly string[],
	other: (request: Request) => Reply | undefined = () => undefined,
) {
	return await ownService(t, engine, (request) => {
		const given = other(request);
		if (given) return given;
		const { path } = request;
		if (path === LIST) return { body: list(request) };
		const id = decodeURIComponent(path.slice(LIST.length + 1));
		if (recordings.includes(id)) return { body: AUDIO, headers: { 'content-type': 'audio/mpeg' } };
		return { status: 404, body: { error: 'unknown' } };
	});
}

suite('Connection: Explore', () => {
	test('reads only, asks one question at a time, and few', async (t) => {
		const own = await ownEngine(t);
		const { control } = own.emulator;
		const { sessionGuid } = await control.addRecording({ to: '+15550100', from: '+15550101' });
		await control.addRecording({ endedAt: new Date(control.now() - HOUR).toISOString() });
		const execution = await own.runNode({ parameters });
		const requests = control.requests();
		assert.ok(requests.length <= 30 && requests.length > 5, String(requests.length));
		assert.deepEqual([...new Set(requests.map(({ method }) => method))], ['GET', 'OPTIONS']);
		assert.ok(control.recordings().every(({ state }) => state === 'stored'));
		assert.ok(requests.some(({ path }) => path.endsWith(sessionGuid)));
		const rows = execution.items(NODE).map(({ json }) => json);
		assert.ok(rows.every(({ recognized }) => recognized !== false));
		assert.deepEqual((await profileOf(execution)).settings, {});
	});

	test('proposes the list and the fields that are proven by a download', async (t) => {
		const [one, two, account] = [randomUUID(), randomUUID(), randomUUID()];
		const record = (ref: string, hours: number) => {
			const ms = Date.now() - hours * HOUR;
			const [begin, finish] = [ms - 42_000, ms].map((time) => new Date(time).toISOString());
			return { account, ref, begin, finish, stored: new Date().toISOString(), talk: 42 };
		};
		const service = await listing(
			t,
			() => ({
				result: { calls: [record(one, 2), record(two, 1)], agents: [{ id: account }] },
			}),
			[one, two],
		);
		const execution = await service.run({ parameters });
		assert.equal(said(execution, /Where is the list/).setting, 'List Field: result.calls');
		assert.equal(said(execution, /session GUID\?$/).setting, 'Session GUID Field: ref');
		assert.equal(said(execution, /call ended/).setting, 'Call End Field: finish');
		assert.equal(
			said(execution, /number that was called/).setting,
			'Nothing can be set: the list does not say it',
		);
		const { settings } = await profileOf(execution);
		assert.deepEqual(settings, {
			adapt: true,
			listField: 'result.calls',
			sessionGuidField: 'ref',
			callEndField: 'finish',
		});
		const credential = { baseUrl: service.url, ...settings };
		const voiceAgentApi = await apiCredential(engine, credential);
		const listed = await engine.runNode({ parameters: getMany(), credentials: { voiceAgentApi } });
		assert.deepEqual(
			listed.items(NODE).map(({ json }) => json.sessionGuid),
			[one, two],
		);
	});

	test('of several fields with a time, none is proposed without a proof', async (t) => {
		const sessionGuid = randomUUID();
		const time = new Date().toISOString();
		const records = [{ sessionGuid, created: time, changed: time }];
		const execution = await (await listing(t, () => records, [sessionGuid])).run({ parameters });
		const { answer, recognized, setting } = said(execution, /call ended/);
		assert.equal(answer, 'It is not found. Fields with a time: created, changed.');
		assert.equal(recognized, false);
		assert.match(String(setting), /^If one of them is the end of the call/);
		assert.deepEqual((await profileOf(execution)).settings, {});
	});

	suite('finds out how a long list continues', () => {
		const guids = [1, 2, 3].map(() => randomUUID());
		const page = (from: number, count = 2) =>
			guids.slice(from, from + count).map((sessionGuid) => ({ sessionGuid }));
		const ways: Array<[string, (query: URLSearchParams) => unknown, string | RegExp]> = [
			[
				'by the number of a page that no answer mentions',
				(query) => ({
					items: page(2 * (Number(query.get('page') ?? 1) - 1)),
					hasMore: !query.has('page'),
				}),
				'Paging: A Parameter in Each Request; Page Parameter: page',
			],
			[
				'by a position that counts from 0',
				(query) => ({ items: page(Number(query.get('skip') ?? 0)), total: 3 }),
				'Paging: A Parameter in Each Request; Page Parameter: skip; Parameter Counts: Records; First Value: 0',
			],
			[
				'by nothing that can be set',
				() => ({ items: page(0), hasMore: true }),
				/^Nothing can be set/,
			],
		];
		for (const [name, answer, expected] of ways) {
			test(name, async (t) => {
				const service = await listing(t, ({ query }) => answer(query), guids);
				const execution = await service.run({ parameters });
				const { setting, recognized } = said(execution, /long list/);
				assert.equal(recognized, false);
				if (typeof expected === 'string') assert.equal(setting, expected);
				else assert.match(String(setting), expected);
				assert.ok(service.requests.length <= 30, String(service.requests.length));
			});
		}

		const beyond: Array<[string, (page: number) => unknown, string, boolean]> = [
			['an empty page', () => ({ items: [] }), 'An empty page.', true],
			['the first page', () => ({ items: page(0) }), 'The first page again.', false],
			['the last page', () => ({ items: page(2) }), 'A page with records, such as the', false],
			['an error', () => ({ error: 'no such page' }), 'Status 200, and no page.', false],
		];
		for (const [name, answer, expected, isEnd] of beyond) {
			test(`and that beyond the last page, it has ${name}`, async (t) => {
				const service = await listing(
					t,
					({ query }) => {
						const number = Number(query.get('page') ?? 1);
						return number > 2 ? answer(number) : { items: page(2 * (number - 1)), hasMore: true };
					},
					guids,
				);
				const execution = await service.run({ parameters });
				const { answer: seen, recognized, setting } = said(execution, /beyond the last/);
				assert.ok(seen.startsWith(expected), seen);
				assert.equal(recognized, isEnd);
				assert.equal(/^Nothing can be set/.test(String(setting)), !isEnd);
				const { exchanges } = await profileOf(execution);
				assert.ok(exchanges.some((one) => one.name === 'beyond'));
				assert.ok(service.requests.length <= 30, String(service.requests.length));
			});
		}

		test('and asks for no such page if the nodes need none', async (t) => {
			const answer = ({ query }: Request) => ({
				items: page(2 * (Number(query.get('page') ?? 1) - 1)),
				...{ page: Number(query.get('page') ?? 1), totalPages: 2 },
			});
			const service = await listing(t, answer, guids);
			const { answer: seen, recognized } = said(
				await service.run({ parameters }),
				/beyond the last/,
			);
			assert.equal(seen, 'An empty page. The nodes do not ask for it.');
			assert.equal(recognized, true);
		});

		test('over empty pages', async (t) => {
			const own = await ownEngine(t);
			const { control } = own.emulator;
			control.setShapes({ list: 'paged', paging: 'emptyPages', pageSize: 1 });
			for (const hours of [1, 2]) {
				const endedAt = new Date(control.now() - hours * HOUR).toISOString();
				await control.addRecording({ endedAt });
			}
			const execution = await own.runNode({ parameters });
			assert.match(said(execution, /long list/).answer, /Empty pages come in between/);
			assert.equal(said(execution, /beyond the last/).answer, 'Not asked: no page has a number.');
			const { list } = (await profileOf(execution)) as unknown as {
				list: { paging: { emptyPages?: number } };
			};
			assert.equal(list.paging.emptyPages, 1);
		});

		test('by a cursor in a field with an unknown name', async (t) => {
			const service = await listing(
				t,
				({ query }) => ({
					items: page(query.get('cursor') === 'row-00000002' ? 2 : 0),
					onward: query.has('cursor') ? null : 'row-00000002',
					hasMore: !query.has('cursor'),
				}),
				guids,
			);
			const { setting } = said(await service.run({ parameters }), /long list/);
			assert.equal(
				setting,
				'Paging: Next URL or Cursor in a Field; Next Field: onward; Cursor Parameter: cursor',
			);
		});

		test('what the answers say is followed, and counts only if it leads to other records', async (t) => {
			const answer = { items: page(0), next: '?page=2' };
			const repeating = await listing(t, () => answer, guids);
			assert.equal(said(await repeating.run({ parameters }), /long list/).recognized, false);
			const leading = await listing(
				t,
				({ query }) => (query.has('page') ? { items: page(2), next: null } : answer),
				guids,
			);
			assert.equal(said(await leading.run({ parameters }), /long list/).recognized, true);
		});
	});

	test('stops when the service asks for fewer requests, and says so', async (t) => {
		const own = await ownEngine(t);
		await own.emulator.control.addRecording();
		const fault = { kind: 'status', status: 429, retryAfter: '60' } as const;
		always(own, 'downloadRecording', fault);
		const execution = await own.runNode({ parameters });
		assert.match(said(execution, /How many requests/).answer, /asks for fewer requests .* stopped/);
		assert.equal(own.emulator.control.requests().length, 2);
	});

	test('fails if the service refuses the key, or cannot be reached', async () => {
		const refused = await apiCredential(engine, { apiKey: 'wrong-key' });
		const credentials = { voiceAgentApi: refused };
		assertFailed(await engine.runNode({ parameters, credentials }), /API key/);
		const nowhere = await apiCredential(engine, { baseUrl: 'http://127.0.0.1:1' });
		const unreachable = { voiceAgentApi: nowhere };
		assertFailed(await engine.runNode({ parameters, credentials: unreachable }), /reached|refused/);
	});

	test('sends its key to the list only where it should', async (t) => {
		const own = await ownEngine(t);
		await own.runNode({ parameters });
		const keys = own.emulator.control
			.requests()
			.filter(({ path, method }) => path === LIST && method === 'GET')
			.map(({ rawHeaders }) => new Map(rawHeaders as Array<[string, string]>).get('Token'));
		assert.equal(keys.length, 3);
		assert.deepEqual(keys.slice(0, 2), ['demo-key', undefined]);
		assert.notEqual(keys[2], 'demo-key');
		assert.match(String(keys[2]), /^[a-z]{4}-[a-z]{3}$/);
	});

	suite('changes only what a person has typed', () => {
		const explored = async (options: Record<string, unknown>, own = engine) =>
			await own.runNode({ parameters: { ...parameters, options } });

		test('a recording: typed, confirmed, and listed exactly so', async (t) => {
			const own = await ownEngine(t);
			const { control } = own.emulator;
			const { sessionGuid } = await control.addRecording();
			const refused: Array<[Record<string, unknown>, RegExp]> = [
				[{ deleteRecording: sessionGuid }, /nothing proves/],
				[{ deleteRecording: `={{ "${sessionGuid}" }}`, deleteWithoutProof: true }, /must be typed/],
				[{ deleteRecording: 'x', deleteWithoutProof: true }, /session GUID/],
				[{ deleteRecording: sessionGuid.toUpperCase(), deleteWithoutProof: true }, /exactly/],
				[{ deleteRecording: randomUUID(), deleteWithoutProof: true }, /exactly/],
			];
			for (const [options, message] of refused) {
				assertFailed(await explored(options, own), message);
				assert.equal(control.recordings()[0]?.state, 'stored');
			}
			const options = { deleteRecording: sessionGuid, deleteWithoutProof: true };
			const execution = await explored(options, own);
			const { answer, recognized } = said(execution, /is deleted/);
			assert.equal(recognized, true);
			assert.equal(answer, 'Status 200; the list no longer shows it; deleted again: status 404.');
			assert.equal(control.recordings()[0]?.state, 'deleted');
		});

		test('a call: typed, and placed once', async (t) => {
			const own = await ownEngine(t);
			const { control } = own.emulator;
			assertFailed(await explored({ placeCallTo: '={{ "+15550100" }}' }, own), /must be typed/);
			assertFailed(await explored({ placeCallTo: 'Anna' }, own), /./);
			assert.equal(control.calls().length, 0);
			const { answer, recognized } = said(
				await explored({ placeCallTo: '+15550100' }, own),
				/call is made/,
			);
			assert.equal(recognized, true);
			assert.equal(answer, 'Status 200, with a session GUID. The call counts as placed.');
			assert.deepEqual(
				control.calls().map(({ to }) => to),
				['+15550100'],
			);
		});
	});

	suite('judges webhooks as the trigger does', () => {
		const withWebhook = async (more: Record<string, unknown>) =>
			await engine.runNode({ parameters: { ...parameters, options: more } });
		const sessionGuid = randomUUID();

		test('what is in the payload', async () => {
			const ended = {
				event: 'CallEnd',
				sessionGuid,
				to: '+15550100',
				endedAt: new Date().toISOString(),
			};
			const callEndPayload = JSON.stringify(ended);
			const { answer, recognized } = said(
				await withWebhook({ callEndPayload }),
				/understand CallEnd/,
			);
			assert.equal(recognized, true);
			assert.equal(
				answer,
				"Yes: the session GUID, 'to', no 'from', no direction, the end of the call.",
			);
		});

		test('a webhook of the other event, and one without a session GUID', async () => {
			const other = JSON.stringify({ event: 'CallEnd', sessionGuid });
			const none = JSON.stringify({ id: sessionGuid, to: '+15550100' });
			const execution = await withWebhook({ callStartPayload: other, callEndPayload: none });
			assert.match(said(execution, /understand CallStart/).answer, /This is a CallEnd webhook/);
			const { recognized, setting } = said(execution, /understand CallEnd/);
			assert.equal(recognized, false);
			assert.equal(setting, "'Session GUID Field' of the VoiceAgent Trigger: one of id");
		});

		test('which method it has, as far as its headers show it', async () => {
			const callEndPayload = JSON.stringify({ sessionGuid });
			const methods: Array<[headers: object, answer: string]> = [
				[{}, 'No headers were entered.'],
				[{ 'X-Sig': 'abc' }, 'The headers do not show it.'],
				[{ Host: 'n8n.example', 'Content-Length': '50' }, 'POST or PUT: it has a body.'],
				[{ Host: 'n8n.example', Accept: '*/*' }, 'GET: it has no body.'],
			];
			for (const [headers, expected] of methods) {
				const callEndHeaders = JSON.stringify(headers);
				const execution = await withWebhook({ callEndPayload, callEndHeaders });
				const { answer, recognized, setting } = said(execution, /method does CallEnd/);
				assert.equal(answer, expected);
				assert.equal(recognized, true);
				assert.equal(setting, 'Nothing to set: the trigger accepts GET, POST and PUT');
			}
		});

		test('how it is signed, also if it is old', async () => {
			const callEndPayload = `{ "sessionGuid":"${sessionGuid}" }`;
			const time = String(Math.floor(Date.now() / 1000) - 3 * 24 * 3600);
			const hash = createHmac('sha512', WEBHOOK_SECRET).update(`${time}.${callEndPayload}`);
			const callEndHeaders = JSON.stringify({
				'X-Time': time,
				'X-Sig': `v1=${hash.digest('hex')}`,
			});
			const execution = await withWebhook({ callEndPayload, callEndHeaders });
			const { setting } = said(execution, /CallEnd show that/);
			const expected = [
				...[
					'Webhook Verification: HMAC Signature',
					'Algorithm: SHA-512',
					'Signature Header: X-Sig',
				],
				...['Header Format: v1={signature}', 'Signed Content: {timestamp}.{body}'],
				'Timestamp Header: X-Time',
			];
			assert.equal(setting, expected.join('; '));
		});
	});

	test('nothing that a service, a webhook or the credential says is in the profile or the report', async (t) => {
		const sessionGuid = 'Quastenflosser-7731';
		const secrets = ['Meerkatze-key-1', 'Murmeltier-pass', WEBHOOK_SECRET];
		const people = ['Zwetschge', '+4917099887766', 'zwetschge@firma-hagebutte.de', '8861234567'];
		const canaries = [...people, ...secrets, sessionGuid, 'hagebutte', '9988776'];
		const everything = canaries.join(' ');
		const record = {
			sessionGuid,
			...Object.fromEntries(canaries.map((canary, index) => [`field${index}`, canary])),
			...Object.fromEntries(canaries.map((canary) => [`${canary} +49`, canary])),
			account: 8861234567,
			note: JSON.stringify({ everything, in: Buffer.from(everything).toString('base64') }),
			link: `https://${encodeURIComponent('hagebutte')}.de/?q=${encodeURIComponent(everything)}`,
			tags: canaries,
		};
		const headers = {
			'x-request': everything,
			'set-cookie': `a=${encodeURIComponent(everything)}`,
			'x-ratelimit-user': everything,
			allow: `GET, ${everything}`,
		};
		const service = await ownService(
			t,
			engine,
			({ path }): Reply => {
				if (path === LIST) return { headers, body: { everything, records: [record, record] } };
				const isDocument = path.endsWith('.json');
				const info = { title: everything, contact: { name: 'Zwetschge' } };
				if (isDocument) return { headers, body: { paths: {}, info } };
				if (path === '/api/customer/sms') return { status: 400, headers, body: record };
				if (path.endsWith(sessionGuid)) {
					const name = `attachment; filename="${everything}.mp3"`;
					return { body: AUDIO, headers: { ...headers, 'content-disposition': name } };
				}
				if (path.includes('not-a-session-guid')) return { status: 404, headers, body: record };
				return { status: 404, headers, body: `<p title="${everything}">${everything}` };
			},
			{ apiKey: 'Meerkatze-key-1', recordingPassword: 'Murmeltier-pass' },
		);
		const webhook = { sessionGuid, everything, to: people[1] };
		const callEndPayload = JSON.stringify({ ...webhook, inner: record });
		const callEndHeaders = JSON.stringify({ 'X-Secret': WEBHOOK_SECRET, 'X-Who': everything });
		const execution = await service.run({
			parameters: { ...parameters, options: { callEndPayload, callEndHeaders } },
		});
		const profile = await profileOf(execution);
		assert.ok(profile.exchanges.length > 8 && profile.webhooks.length === 1);
		const rows = execution.items(NODE).map(({ json }) => json);
		const text = JSON.stringify([profile, rows]);
		const words = text.split(/[^\w+/=-]+/);
		const decoded = words.map((word) => Buffer.from(word, 'base64').toString('latin1'));
		const unescaped = text.replaceAll(/%([\da-f]{2})/gi, (_all, hex: string) =>
			String.fromCharCode(parseInt(hex, 16)),
		);
		const readings = [text, unescaped, ...decoded];
		for (const canary of canaries) {
			const found = readings.find((one) => one.toLowerCase().includes(canary.toLowerCase()));
			assert.equal(found?.slice(0, 2000), undefined, canary);
		}
	});
});
