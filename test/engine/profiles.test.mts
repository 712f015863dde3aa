/**
 * A service that was explored can be emulated: Explore, an emulator from the profile, and Explore
 * again. Both say the same, and the archive path works with the settings that were proposed.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import {
	assumedShapes,
	createEmulator,
	type DeliveryOptions,
	type EmulatorOptions,
	type Shapes,
	unknowns,
} from '../../emulator/src/index.mts';
import type { Engine } from '../../harness/engine/engine.mts';
import type { Credential, Execution } from '../../harness/n8n/n8n.mts';
import { listen } from '../../harness/listen.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { accountData, API_KEY, WEBHOOK_SECRET } from '../../harness/serviceAccess.mts';
import { root } from '../../scripts/paths.mjs';
import { mainJob } from '../profile/mainJob.mts';
import { sharedEngine } from './engines.mts';
import { type Explored, exploredWith, formOf } from './exploring.mts';
import { inRecording } from './oneRecording.mts';

const engine = await sharedEngine();
const HOUR = 3_600_000;
/** The seed of the random combinations of shapes. Each has one of its own. */
const SEED = 20261127;
const COMBINATIONS = Number(process.env.PROFILE_COMBINATIONS ?? 100);

type Emulator = Awaited<ReturnType<typeof createEmulator>>;
async function credentialOf(emulator: Emulator, settings: object = {}): Promise<Credential> {
	const data = { ...accountData(emulator.url), ...settings };
	return await engine.n8n.createCredential({ name: 'Explored', type: 'voiceAgentApi', data });
}

/** Explores with everything that a person can enter: a call, a deletion, and a CallEnd. */
async function explore(emulator: Emulator): Promise<Explored> {
	const { control } = emulator;
	const guids = await addRecordings(emulator);
	const list = `${emulator.url}/api/customer/recordings`;
	const firstPage = await (await fetch(list, { headers: { Token: API_KEY } })).text();
	const deleteRecording = guids.find((guid) => firstPage.includes(guid)) ?? '';
	const { callEndPayload, callEndHeaders } = await callEndOf(emulator, deleteRecording);
	const options = { placeCallTo: '+15550123', deleteRecording, deleteWithoutProof: true };
	const credential = await credentialOf(emulator);
	const all = { ...options, callEndPayload, callEndHeaders };
	const explored = await exploredWith(engine, credential, all);
	assert.equal(control.calls().length, 1);
	return explored;
}

/** A CallEnd webhook as it would be sent. */
async function callEndOf({ control }: Emulator, sessionGuid: string) {
	control.setWebhooks({ callEnd: 'http://127.0.0.1:1/' });
	const { requestBody, requestHeaders } = await control.sendCallEnd(sessionGuid);
	return {
		callEndPayload: JSON.stringify(requestBody),
		callEndHeaders: JSON.stringify(requestHeaders),
	};
}

/** Three recordings of known age. */
async function addRecordings({ control }: Emulator): Promise<string[]> {
	const guids: string[] = [];
	for (const hours of [3, 2, 1]) {
		const endedAt = new Date(control.now() - hours * HOUR).toISOString();
		const call = { to: `+4915228817${hours}00`, from: '+15550100', durationSeconds: 3 };
		const { sessionGuid } = await control.addRecording({ format: 'mp3', endedAt, ...call });
		guids.push(sessionGuid);
	}
	return guids;
}

async function runWith(
	of: Engine,
	voiceAgentApi: Credential,
	operation: string,
	guid: string,
): Promise<Execution> {
	return await of.runNode({
		parameters: inRecording(operation),
		items: [{ sessionGuid: guid }],
		credentials: { voiceAgentApi },
		settings: { onError: 'continueRegularOutput' },
	});
}

/** Explores a service in these shapes, and then the emulator that its profile makes. */
async function assertRoundTrip(shapes: Partial<Shapes>): Promise<void> {
	const service = await createEmulator({ shapes });
	try {
		const first = await explore(service);
		const twin = await createEmulator({ profile: first.profile });
		try {
			const second = await explore(twin);
			// By random session GUIDs, a few calls may be in the order of time.
			const isOrdered = shapes.listOrder !== 'byGuid';
			const rowsOf = ({ rows }: Explored) =>
				rows.filter(({ question }) => isOrdered || question !== 'How is the list ordered?');
			assert.deepEqual(rowsOf(second), rowsOf(first));
			assert.deepEqual(formOf(second, { isOrdered }), formOf(first, { isOrdered }));
			assert.deepEqual(second.profile.settings, first.profile.settings);
			const { sessionGuid: guid } = await twin.control.addRecording({ format: 'wav' });
			const credential = await credentialOf(twin, first.profile.settings);
			const download = await runWith(engine, credential, 'download', guid);
			const known = twin.control.recordings().find(({ sessionGuid }) => sessionGuid === guid);
			assert.equal(download.items(NODE)[0]?.json.sha256, known?.plainSha256);
			const deleted = await runWith(engine, credential, 'delete', guid);
			const isSaid = first.rows.some(
				({ question, recognized, setting }) =>
					question === 'How does a long list continue?' &&
					recognized === false &&
					/^Nothing can be set/.test(String(setting)),
			);
			const json = deleted.items(NODE)[0]?.json ?? {};
			if (!isSaid) assert.equal(json.deleted, true, JSON.stringify(json));
		} finally {
			await twin.close();
		}
	} finally {
		await service.close();
	}
}

async function listIn({ url }: Emulator): Promise<{ status: number; body: string }> {
	const list = `${url}/api/customer/recordings`;
	const reply = await fetch(list, { headers: { Token: API_KEY } });
	return { status: reply.status, body: await reply.text() };
}

/** Small numbers in a row that a seed decides (mulberry32). */
function randomOf(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

function combination(seed: number): Partial<Shapes> {
	const random = randomOf(seed);
	const chosen = Object.entries(unknowns).map(([name, { shapes }]) => [
		name,
		shapes[random(shapes.length)],
	]);
	return { ...Object.fromEntries(chosen), pageSize: [1, 2, 100][random(3)] } as Partial<Shapes>;
}

/** How webhooks may prove their origin. */
const WHSEC = `whsec_${Buffer.from('sixteen bytes or more').toString('base64')}`;
const proofs: Array<[name: string, secret: string, delivery: DeliveryOptions]> = [
	[
		'a secret in a header',
		WEBHOOK_SECRET,
		{ secret: { in: 'header', name: 'X-Hook', value: WEBHOOK_SECRET } },
	],
	['HMAC with SHA-256 in hex', WEBHOOK_SECRET, { signing: hmac({}) }],
	[
		'HMAC with SHA-512 in Base64 of time and body',
		WEBHOOK_SECRET,
		{ signing: hmac({ algorithm: 'sha512', encoding: 'base64', timestampHeader: 'X-Time' }) },
	],
	[
		'HMAC with SHA-1 behind a prefix',
		WEBHOOK_SECRET,
		{ signing: hmac({ algorithm: 'sha1', header: 'X-Sig', prefix: 'v1=' }) },
	],
	['Standard Webhooks', WHSEC, { signing: { scheme: 'standardWebhooks', secret: WHSEC } }],
];

/** What may be signed besides the body, and how such a webhook comes. */
const signedContents = [
	['{url}{parameters}', 'form'],
	['{parameters}', 'form'],
	['{url}{body}', 'flat'],
	['{url}{parameters}', 'query'],
] as const;

/** The service profile that a shape is. */
function shapeOf(name: string, shape: string): { webhooks: object[] } {
	const path = join(root, 'emulator/src/profiles', name, `${shape}.json`);
	return JSON.parse(readFileSync(path, 'utf8')) as { webhooks: object[] };
}

function hmac(more: object): NonNullable<DeliveryOptions['signing']> {
	return { scheme: 'hmac', secret: WEBHOOK_SECRET, ...more };
}

/**
 * Explores a CallEnd that a service sends like this, then sends one as its profile shows, to a
 * trigger.
 *
 * @returns the webhook in the profile
 */
async function assertSameProof(
	webhookSecret: string,
	options: Pick<EmulatorOptions, 'webhookDelivery' | 'shapes' | 'profile'>,
): Promise<SeenWebhook> {
	const service = await createEmulator(options);
	const isUrlSigned = options.profile !== undefined;
	try {
		const first = await exploreCallEnd(service, webhookSecret, isUrlSigned);
		const signing = { scheme: 'profile', secret: webhookSecret } as const;
		const { profile } = first;
		const twin = await createEmulator({ profile, webhookDelivery: { signing } });
		try {
			const second = await exploreCallEnd(twin, webhookSecret, isUrlSigned);
			assert.deepEqual(second.rows, first.rows);
			assert.deepEqual(second.profile.settings, first.profile.settings);
			const [seen, again] = [first, second].map(callEndIn);
			assert.ok(seen?.signature);
			assert.deepEqual(again?.signature, seen.signature);
			assert.equal(again.method, seen.method);
			assert.equal(again.headers['content-type'], seen.headers['content-type']);
			await assertTriggerAccepts(twin, { webhookSecret, ...first.profile.settings });
			return again;
		} finally {
			await twin.close();
		}
	} finally {
		await service.close();
	}
}

interface SeenWebhook {
	method?: string;
	signature?: { signedContent?: string };
	headers: Record<string, unknown>;
}

function callEndIn({ profile }: Explored): SeenWebhook | undefined {
	return (profile.webhooks as SeenWebhook[])[0];
}

async function exploreCallEnd(
	emulator: Emulator,
	webhookSecret: string,
	isUrlSigned: boolean,
): Promise<Explored> {
	const { control } = emulator;
	const [sessionGuid = ''] = await addRecordings(emulator);
	let sent = '';
	let headers = {};
	let query = '';
	const receiver = createServer((request, response) => {
		({ headers } = request);
		query = request.url?.split('?')[1] ?? '';
		request.on('data', (chunk) => (sent += String(chunk))).on('end', () => response.end());
	});
	const { port, close } = await listen(receiver);
	const webhookUrl = `http://127.0.0.1:${port}/`;
	control.setWebhooks({ callEnd: webhookUrl });
	const { requestBody } = await control.sendCallEnd(sessionGuid);
	await close();
	const credential = await credentialOf(emulator, { webhookSecret });
	const isJson = sent.startsWith('{');
	if (isJson && !isUrlSigned) {
		const callEndHeaders = JSON.stringify(headers);
		return await exploredWith(engine, credential, { callEndPayload: sent, callEndHeaders });
	}
	// As n8n's Webhook node shows it.
	const parsed = Object.fromEntries(new URLSearchParams(query));
	const output = { headers, query: parsed, body: sent === '' ? {} : requestBody, webhookUrl };
	return await exploredWith(engine, credential, { callEndPayload: JSON.stringify([output]) });
}

async function assertTriggerAccepts({ control }: Emulator, settings: object): Promise<void> {
	const account = { ...accountData('http://127.0.0.1:1'), webhookVerification: 'sharedSecret' };
	const data = { ...account, headerName: 'X-Webhook-Secret', ...settings };
	const credential = { name: 'Proven', type: 'voiceAgentApi', data };
	const voiceAgentApi = await engine.n8n.createCredential(credential);
	const parameters = { event: 'callEnd' };
	const webhook = await engine.listen({ parameters, credentials: { voiceAgentApi } });
	webhook.knowAddress();
	try {
		const [{ sessionGuid } = { sessionGuid: '' }] = control.recordings();
		control.setWebhooks({ callEnd: webhook.url });
		const { status, replyBody } = await control.sendCallEnd(sessionGuid);
		assert.equal(status, 200, String(replyBody));
		control.setWebhookDelivery({ signing: { scheme: 'profile', secret: 'another-secret-123' } });
		const { status: withAnother } = await control.sendCallEnd(sessionGuid);
		assert.equal(withAnother, 401);
	} finally {
		await webhook.close();
	}
}

suite('webhooks from a profile', () => {
	for (const [name, secret, delivery] of proofs) {
		test(`prove their origin as the service does: ${name}`, async () => {
			await assertSameProof(secret, { webhookDelivery: delivery });
		});
	}

	test('come as a form or as XML if the service sends them so', async () => {
		const secret = { in: 'header', name: 'X-Hook', value: WEBHOOK_SECRET } as const;
		for (const body of ['form', 'xml'] as const) {
			const shapes = { webhookBody: body };
			const options = { webhookDelivery: { secret }, shapes };
			const { headers } = await assertSameProof(WEBHOOK_SECRET, options);
			assert.match(String(headers['content-type']), new RegExp(body));
		}
	});

	for (const [signedContent, shape] of signedContents) {
		test(`sign ${signedContent} of ${shape} as the service does`, async () => {
			const signature = {
				...{ webhookVerification: 'hmac', algorithm: 'hmacSha1', encoding: 'base64' },
				...{ signatureHeader: 'X-Sig', signedContent },
			};
			const named = shapeOf('webhookBody', shape);
			const webhooks = named.webhooks.map((webhook) => ({ ...webhook, signature }));
			const signing = { scheme: 'profile', secret: WEBHOOK_SECRET } as const;
			const options = { profile: { ...named, webhooks }, webhookDelivery: { signing } };
			const seen = await assertSameProof(WEBHOOK_SECRET, options);
			assert.equal(seen.signature?.signedContent, signedContent);
		});
	}

	test('come with GET if the service sends them so, and with a body otherwise', async () => {
		const secret = { in: 'header', name: 'X-Hook', value: WEBHOOK_SECRET } as const;
		for (const webhookMethod of unknowns.webhookMethod.shapes) {
			const options = { webhookDelivery: { secret }, shapes: { webhookMethod } };
			const { method } = await assertSameProof(WEBHOOK_SECRET, options);
			assert.equal(method, webhookMethod === 'GET' ? 'GET' : undefined);
		}
	});

	test('are not signed by chance: a profile without a signature is refused', async () => {
		const profile = { version: 1, exchanges: [] };
		const signing = { scheme: 'profile', secret: WEBHOOK_SECRET } as const;
		await assert.rejects(createEmulator({ profile, webhookDelivery: { signing } }), /no profile/);
		const emulator = await createEmulator({ profile });
		try {
			assert.throws(() => emulator.control.setWebhookDelivery({ signing }), /no profile shows/);
		} finally {
			await emulator.close();
		}
	});
});

suite('an emulator from a profile', () => {
	for (const [name, { shapes }] of Object.entries(unknowns)) {
		test(`answers as a service does in each shape of ${name}`, async () => {
			for (const shape of shapes) {
				const list = name === 'paging' ? { list: 'paged' as const } : {};
				try {
					await assertRoundTrip({ ...assumedShapes, ...list, [name]: shape });
				} catch (error) {
					throw new Error(`${name}=${shape}: ${(error as Error).message}`, { cause: error });
				}
			}
		});
	}

	for (const emptyList of unknowns.emptyList.shapes) {
		test(`has an empty list as ${emptyList}, as the service has after its last recording`, async () => {
			const service = await createEmulator({ shapes: { emptyList, list: 'items' } });
			try {
				const { sessionGuid: deleteRecording } = await service.control.addRecording();
				const options = { deleteRecording, deleteWithoutProof: true };
				const { profile } = await exploredWith(engine, await credentialOf(service), options);
				const twin = await createEmulator({ profile });
				try {
					assert.deepEqual(await listIn(twin), await listIn(service));
					await twin.control.addRecording();
					const { body } = await listIn(twin);
					assert.match(body, /^\{"items":\[\{/);
				} finally {
					await twin.close();
				}
			} finally {
				await service.close();
			}
		});
	}

	test('the main job works with the settings that Explore proposes, and says what does not', async () => {
		const shapes = { ...assumedShapes, list: 'paged', paging: 'pageIndex', pageSize: 2 } as const;
		const service = await createEmulator({ shapes });
		try {
			const { profile } = await explore(service);
			const steps = await mainJob(engine, profile);
			assert.equal(steps.length, 6);
			assert.deepEqual(
				steps.filter(({ works }) => !works),
				[],
			);
			const settings = { ...profile.settings, adapt: true, listField: 'nowhere' };
			const [getMany] = await mainJob(engine, { ...profile, settings });
			assert.equal(getMany?.works, false);
			assert.match(getMany.said, /nowhere/);
		} finally {
			await service.close();
		}
	});

	test(`answers as a service does in ${COMBINATIONS} combinations of shapes`, async () => {
		for (let index = 0; index < COMBINATIONS; index++) {
			const shapes = combination(SEED + index);
			try {
				await assertRoundTrip(shapes);
			} catch (error) {
				const what = `seed ${SEED + index}: ${JSON.stringify(shapes)}`;
				throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
			}
		}
	});
});
