import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import {
	assumedShapes,
	createEmulator,
	type Emulator,
	type Shapes,
	unknowns,
} from '../src/index.mts';
import { call, type Json, receiver, recordingPath, send, start } from './helpers.mts';

const content = Buffer.from('not really audio');
const LIST = '/api/customer/recordings';
const HOUR = 3_600_000;

async function withRecordings(
	t: Parameters<typeof start>[0],
	count: number,
	shapes: Partial<Shapes> = {},
): Promise<Emulator> {
	const emulator = await start(t, { shapes });
	for (let index = 0; index < count; index += 1) {
		await emulator.control.addRecording({
			// Ordered by the end of the call they are 4, 3, 2 …, by GUID 0, 1, 2 …
			sessionGuid: `session-${index}`,
			endedAt: new Date(emulator.control.now() - (index + 1) * HOUR).toISOString(),
			from: '+1',
			content,
		});
	}
	return emulator;
}

const guids = (records: unknown) => (records as Json[]).map((one) => String(one['sessionGuid']));
const expected = (...numbers: number[]) => numbers.map((number) => `session-${number}`);

test('list: an array, or an object with one list in it', async (t) => {
	const { url, control } = await withRecordings(t, 2);
	for (const list of ['recordings', 'data', 'items'] as const) {
		control.setShapes({ list });
		const reply = await send(url, 'GET', LIST);
		assert.match(String(reply.headers['content-type']), /^application\/json/);
		assert.deepEqual(Object.keys(reply.json()), [list]);
		assert.deepEqual(guids(reply.json()[list]), expected(1, 0));
	}
	control.resetShapes();
	assert.deepEqual(guids((await send(url, 'GET', LIST)).json()), expected(1, 0));
});

test('listOrder: oldest first, newest first, by GUID', async (t) => {
	const { url, control } = await withRecordings(t, 3);
	const seen = async (listOrder: Shapes['listOrder']) => {
		control.setShapes({ listOrder });
		return guids((await send(url, 'GET', LIST)).json());
	};
	assert.deepEqual(await seen('newestFirst'), expected(0, 1, 2));
	assert.deepEqual(await seen('oldestFirst'), expected(2, 1, 0));
	await control.addRecording({ sessionGuid: 'session-00', content });
	assert.deepEqual(await seen('byGuid'), ['session-0', 'session-00', 'session-1', 'session-2']);
});

test('recordFields and recordDetail: names in three spellings, or the GUID alone', async (t) => {
	const { url, control } = await withRecordings(t, 1);
	const record = async (shapes: Partial<Shapes>) => {
		control.setShapes(shapes);
		return (await send(url, 'GET', LIST)).json()[0 as never] as Json;
	};
	const camel = await record({});
	const pascal = await record({ recordFields: 'PascalCase' });
	const snake = await record({ recordFields: 'snake_case' });
	assert.deepEqual(Object.keys(pascal), [
		'SessionGuid',
		'To',
		'From',
		'StartedAt',
		'EndedAt',
		'DurationSeconds',
		'Format',
		'Encrypted',
		'SizeBytes',
	]);
	assert.deepEqual(Object.keys(snake), [
		'session_guid',
		'to',
		'from',
		'started_at',
		'ended_at',
		'duration_seconds',
		'format',
		'encrypted',
		'size_bytes',
	]);
	assert.deepEqual(Object.values(pascal), Object.values(camel));
	assert.deepEqual(Object.values(snake), Object.values(camel));
	assert.deepEqual(await record({ recordDetail: 'guidOnly' }), { session_guid: 'session-0' });
	assert.deepEqual(await record({ recordFields: 'camelCase' }), { sessionGuid: 'session-0' });
});

/** Follows a paged list to its end as its shape says. @returns the GUIDs of each page */
async function pages(
	url: string,
	paging: Shapes['paging'],
	betweenPages: () => Promise<unknown> = async () => undefined,
): Promise<string[][]> {
	const seen: string[][] = [];
	let path: string | undefined = LIST;
	while (path !== undefined && seen.length < 20) {
		if (seen.length > 0) await betweenPages();
		const reply = await send(url, 'GET', path);
		assert.equal(reply.status, 200);
		const body = reply.json();
		const records = body['data'] ?? body['items'] ?? body;
		seen.push(guids(records));
		const next: Record<Shapes['paging'], () => string | undefined> = {
			nextUrl: () => (body['next'] === null ? undefined : String(body['next'])),
			cursor: () =>
				body['nextCursor'] === null ? undefined : `${LIST}?cursor=${String(body['nextCursor'])}`,
			emptyPages: () => next.cursor(),
			pageNumber: () =>
				Number(body['page']) < Number(body['totalPages'])
					? `${LIST}?page=${Number(body['page']) + 1}`
					: undefined,
			pageIndex: () => {
				const { pageIndex, totalPages } = (body['meta'] as Json)['paging'] as Record<
					string,
					number
				>;
				return Number(pageIndex) + 1 < Number(totalPages)
					? `${LIST}?pageIndex=${Number(pageIndex) + 1}`
					: undefined;
			},
			offset: () => {
				const end = Number(body['offset']) + Number(body['limit']);
				return end < Number(body['total']) ? `${LIST}?offset=${end}` : undefined;
			},
			linkHeader: () => /^<([^>]+)>; rel="next"$/.exec(String(reply.headers['link']))?.[1],
			hal: () => ((body['_links'] as Json)['next'] as { href: string } | null)?.href,
			afterGuid: () => (body['hasMore'] ? `${LIST}?after=${guids(records).at(-1)}` : undefined),
		};
		path = next[paging]();
		if (path?.startsWith('http')) assert.equal(new URL(path).origin, url);
	}
	return seen;
}

test('paged: every form of a next page leads through all recordings once', async (t) => {
	const { url, control } = await withRecordings(t, 5, { list: 'paged', pageSize: 2 });
	for (const paging of unknowns.paging.shapes) {
		control.setShapes({ paging, pageSize: 2 });
		const all = [expected(4, 3), expected(2, 1), expected(0)];
		const gaps = all.flatMap((page, index) => (index > 0 ? [[], page] : [page]));
		assert.deepEqual(await pages(url, paging), paging === 'emptyPages' ? gaps : all, paging);
		control.setShapes({ pageSize: 5 });
		assert.deepEqual(await pages(url, paging), [expected(4, 3, 2, 1, 0)], `${paging}, all fit`);
	}
	await control.advanceClock(8 * 24 * HOUR);
	for (const paging of unknowns.paging.shapes) {
		control.setShapes({ paging });
		assert.deepEqual(await pages(url, paging), [[]], `${paging}, nothing stored`);
	}
});

test('emptyList: a list without records, null in its place, an empty object, nothing at all', async (t) => {
	const { url, control } = await start(t);
	const seen = async (shapes: Partial<Shapes>) => {
		control.resetShapes();
		control.setShapes(shapes);
		const { status, body } = await send(url, 'GET', LIST);
		return `${status} ${body.toString()}`;
	};
	assert.equal(await seen({}), '200 []');
	assert.equal(await seen({ emptyList: 'null' }), '200 null');
	assert.equal(await seen({ emptyList: 'null', list: 'recordings' }), '200 {"recordings":null}');
	assert.equal(await seen({ emptyList: 'null', list: 'paged' }), '200 {"data":null,"next":null}');
	assert.equal(await seen({ emptyList: 'emptyObject' }), '200 {}');
	assert.equal(await seen({ emptyList: '204' }), '204 ');
	await control.addRecording({ sessionGuid: 'session-0', content });
	for (const emptyList of unknowns.emptyList.shapes) {
		control.resetShapes();
		control.setShapes({ emptyList });
		assert.deepEqual(guids((await send(url, 'GET', LIST)).json()), expected(0));
	}
});

test('paged: the client may ask for smaller pages, not for larger ones', async (t) => {
	const { url, control } = await withRecordings(t, 5, { list: 'paged', pageSize: 3 });
	const sizes: [Shapes['paging'], string, string][] = [
		['pageNumber', 'pageSize', 'items'],
		['offset', 'limit', 'items'],
		['cursor', 'limit', 'data'],
		['nextUrl', 'pageSize', 'data'],
	];
	for (const [paging, name, list] of sizes) {
		control.setShapes({ paging });
		for (const [wanted, shown] of [
			[1, 1],
			[3, 3],
			[100, 3],
		] as const) {
			const reply = await send(url, 'GET', `${LIST}?${name}=${wanted}`);
			assert.equal(guids(reply.json()[list]).length, shown, `${paging} ${wanted}`);
		}
		for (const wrong of ['0', '-1', 'many', '1.5', '1e3', '']) {
			const reply = await send(url, 'GET', `${LIST}?${name}=${wrong}`);
			assert.equal(reply.status, 400, `${name}=${wrong}`);
			assert.deepEqual(reply.json().error?.fields, [name]);
		}
	}
	control.setShapes({ paging: 'cursor' });
	assert.equal((await send(url, 'GET', `${LIST}?cursor=nonsense`)).status, 400);
	control.setShapes({ paging: 'afterGuid' });
	assert.equal((await send(url, 'GET', `${LIST}?after=nonsense`)).status, 400);
});

test('paged: deleting between two pages shifts numbered pages, and not a cursor', async (t) => {
	for (const [paging, seen] of [
		['cursor', [expected(5, 4), expected(3, 2), expected(1, 0)]],
		['pageNumber', [expected(5, 4), expected(1, 0)]],
	] as const) {
		const { url } = await withRecordings(t, 6, { list: 'paged', pageSize: 2, paging });
		let deleted = false;
		const deleteFirstPage = async () => {
			if (deleted) return;
			deleted = true;
			for (const guid of expected(5, 4)) await send(url, 'DELETE', recordingPath(guid));
		};
		assert.deepEqual(await pages(url, paging, deleteFirstPage), seen, paging);
	}
});

test('makeCallReply: three statuses, with and without a body', async (t) => {
	const { url, control } = await start(t);
	for (const makeCallReply of unknowns.makeCallReply.shapes) {
		control.setShapes({ makeCallReply });
		const reply = await send(url, 'POST', '/api/customer/makecall', { body: { to: '+1' } });
		assert.equal(reply.status, Number(makeCallReply.slice(0, 3)));
		const { sessionGuid } = control.calls().at(-1) ?? {};
		if (makeCallReply.endsWith('empty')) assert.equal(reply.body.length, 0, makeCallReply);
		else assert.deepEqual(reply.json(), { sessionGuid, status: 'queued', to: '+1' });
	}
	assert.equal(control.calls().length, 6);
});

test('sessionGuid: upper case, braces, without hyphens, and each can be downloaded', async (t) => {
	const emulator = await start(t, { defaultInstructions: { recordCall: true } });
	const patterns: Record<Shapes['sessionGuid'], RegExp> = {
		lowerCase: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
		upperCase: /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/,
		braces: /^\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$/,
		noHyphens: /^[0-9a-f]{32}$/,
	};
	for (const sessionGuid of unknowns.sessionGuid.shapes) {
		emulator.control.setShapes({ sessionGuid });
		const done = await call(emulator);
		const added = await emulator.control.addRecording({ content });
		for (const guid of [done.sessionGuid, added.sessionGuid]) {
			assert.match(guid, patterns[sessionGuid]);
			const path = recordingPath(encodeURIComponent(guid));
			assert.equal((await send(emulator.url, 'GET', path)).status, 200, guid);
		}
	}
});

test('download headers: type, length and file name, as they should be, absent, hostile', async (t) => {
	const { url, control } = await withRecordings(t, 1);
	const headers = async (shapes: Partial<Shapes>) => {
		control.resetShapes();
		control.setShapes(shapes);
		const reply = await send(url, 'GET', recordingPath('session-0'));
		assert.equal(reply.status, 200);
		assert.ok(reply.body.equals(content));
		return reply.headers;
	};
	const type = async (contentType: Shapes['contentType']) =>
		(await headers({ contentType }))['content-type'];
	assert.equal(await type('exact'), 'audio/ogg');
	assert.equal(await type('octet-stream'), 'application/octet-stream');
	assert.equal(await type('absent'), undefined);
	assert.match(String(await type('hostile')), /\.\.\/.*evil/);
	const name = async (fileName: Shapes['fileName']) =>
		(await headers({ fileName }))['content-disposition'];
	assert.match(String(await name('present')), /"session-0\.opus"/);
	assert.equal(await name('absent'), undefined);
	assert.match(String(await name('hostile')), /"\.\.\/\.\.\//);
	const chunked = await headers({ contentLength: 'absent' });
	assert.equal(chunked['content-length'], undefined);
	assert.equal(chunked['transfer-encoding'], 'chunked');
	assert.equal((await headers({}))['content-length'], String(content.length));
});

test('deleteReply and unknownGuid', async (t) => {
	const { url, control } = await withRecordings(t, 4);
	for (const [index, deleteReply] of unknowns.deleteReply.shapes.entries()) {
		control.setShapes({ deleteReply });
		const reply = await send(url, 'DELETE', recordingPath(`session-${index}`));
		assert.equal(reply.status, Number(deleteReply.slice(0, 3)), deleteReply);
		const body = { deleted: true, sessionGuid: `session-${index}` };
		if (['200-body', '202'].includes(deleteReply)) assert.deepEqual(reply.json(), body);
		else assert.equal(reply.body.length, 0, deleteReply);
	}
	for (const unknownGuid of unknowns.unknownGuid.shapes) {
		control.setShapes({ unknownGuid });
		for (const method of ['GET', 'DELETE']) {
			const reply = await send(url, method, recordingPath('session-0'));
			assert.equal(reply.status, Number(unknownGuid), method);
			assert.equal(reply.json().error?.code, 'recording_not_found');
		}
	}
	assert.equal((await send(url, 'GET', '/control/calls/nobody')).status, 404);
});

test('sms', async (t) => {
	const { url, control } = await start(t);
	for (const sms of unknowns.sms.shapes) {
		control.setShapes({ sms });
		const reply = await send(url, 'POST', '/api/customer/sms', { body: { to: '+1' } });
		assert.equal(reply.status, Number(sms));
		assert.ok(reply.body.length > 0);
	}
});

test('errorBody: six bodies for the same refusals; control keeps its own', async (t) => {
	const { url, control } = await start(t);
	const types: Record<Shapes['errorBody'], [RegExp, RegExp]> = {
		nested: [/^application\/json/, /^\{"error":\{"code":"[a-z_]+","message":"[^"]/],
		flat: [/^application\/json/, /^\{"code":"[a-z_]+","message":"[^"]/],
		problem: [/^application\/problem\+json/, /"title":"[a-z_]+","status":4\d\d,"detail":"[^"]/],
		text: [/^text\/plain/, /^[^{<]{10,}/],
		html: [/^text\/html/, /^<!DOCTYPE html>.*<h1>4\d\d<\/h1>/],
		empty: [/^text\/plain/, /^$/],
	};
	for (const errorBody of unknowns.errorBody.shapes) {
		control.setShapes({ errorBody });
		const [type, body] = types[errorBody];
		for (const [method, path, status, headers] of [
			['GET', LIST, 401, {}],
			['GET', LIST, 403, { Token: 'demo-key-no-permission' }],
			['GET', recordingPath('nobody'), 404, { Token: 'demo-key' }],
			['POST', '/api/customer/makecall', 400, { Token: 'demo-key' }],
			['GET', '/api/customer/nothing', 404, { Token: 'demo-key' }],
			['GET', '/nothing', 404, {}],
			['GET', recordingPath('%zz'), 400, {}],
		] as const) {
			const sent = method === 'POST' ? { body: {} } : {};
			const reply = await send(url, method, path, { headers, ...sent });
			assert.equal(reply.status, status, `${errorBody} ${path}`);
			assert.match(String(reply.headers['content-type']), type, `${errorBody} ${path}`);
			assert.match(reply.body.toString(), body, `${errorBody} ${path}`);
		}
		const own = await send(url, 'GET', '/control/calls/nobody', { headers: {} });
		assert.equal(own.json().error?.code, 'call_not_found', errorBody);
	}
});

test('webhookBody and webhookMethod: every shape', async (t) => {
	const hooks = await receiver(t, ({ path }) =>
		path.startsWith('/start') ? { Service_Instructions: { recordCall: true } } : {},
	);
	const emulator = await start(t, {
		webhooks: { callStart: `${hooks.url}/start`, callEnd: `${hooks.url}/end` },
	});
	const events = async (webhookBody: Shapes['webhookBody']) => {
		hooks.hooks.length = 0;
		emulator.control.setShapes({ webhookBody });
		const done = await call(emulator, { to: '+1', metadata: { order: 'a&b=ü' } });
		assert.equal(done.recorded, true, 'the reply is understood whatever was sent');
		const [first, second] = hooks.hooks;
		assert.ok(first && second);
		assert.equal(first.contentType, second.contentType);
		return { done, first, second };
	};

	const flat = await events('flat');
	assert.equal(flat.second.body['sessionGuid'], flat.done.sessionGuid);

	const nested = await events('nested');
	assert.deepEqual(Object.keys(nested.second.body), ['event', 'data']);
	assert.equal(nested.first.body['event'], 'CallStart');
	const data = nested.second.body['data'] as Json;
	assert.equal(data['sessionGuid'], nested.done.sessionGuid);
	assert.deepEqual(data['metadata'], { order: 'a&b=ü' });

	const pascal = await events('PascalCase');
	assert.equal(pascal.second.body['Event'], 'CallEnd');
	assert.equal(pascal.second.body['SessionGuid'], pascal.done.sessionGuid);
	assert.deepEqual(pascal.second.body['Metadata'], { order: 'a&b=ü' });
	assert.ok(Object.keys(pascal.second.body).every((name) => /^[A-Z]/.test(name)));

	const form = await events('form');
	assert.equal(form.second.contentType, 'application/x-www-form-urlencoded');
	assert.equal(form.second.body['sessionGuid'], form.done.sessionGuid);
	assert.equal(form.second.body['from'], '');
	assert.equal(form.second.body['recorded'], 'true');
	assert.equal(form.second.body['metadata'], '{"order":"a&b=ü"}');

	const deep = await events('deep');
	const { call: inner } = deep.second.body['data'] as { call: { attributes: Json } };
	assert.equal(inner.attributes['sessionGuid'], deep.done.sessionGuid);

	const batch = await events('batch');
	const [only, ...others] = batch.second.body['events'] as Json[];
	assert.equal(only?.['sessionGuid'], batch.done.sessionGuid);
	assert.equal(others.length, 0);

	const formJson = await events('formJson');
	assert.equal(formJson.second.body['event'], 'CallEnd');
	const payload = JSON.parse(String(formJson.second.body['payload'])) as Json;
	assert.equal(payload['sessionGuid'], formJson.done.sessionGuid);

	const xml = await events('xml');
	assert.equal(xml.second.contentType, 'application/xml');
	const element = `<sessionGuid>${xml.done.sessionGuid}</sessionGuid>`;
	assert.ok(String(xml.second.body['text']).includes(element));
	assert.ok(String(xml.second.body['text']).includes('<order>a&#38;b=ü</order>'));

	const query = await events('query');
	const sent = new URL(query.second.path, hooks.url);
	assert.equal(sent.searchParams.get('sessionGuid'), query.done.sessionGuid);
	assert.deepEqual(query.second.body, { text: '' });

	emulator.control.setShapes({ webhookMethod: 'PUT' });
	assert.equal((await events('flat')).second.method, 'PUT');
	emulator.control.setShapes({ webhookMethod: 'GET' });
	const get = await events('flat');
	assert.equal(get.second.method, 'GET');
	assert.ok(get.second.path.includes(`sessionGuid=${get.done.sessionGuid}`));
	emulator.control.setShapes({ webhookMethod: 'POST', webhookBody: 'form' });

	await emulator.control.sendCallEnd('x', { Any: { thing: 1 } });
	assert.deepEqual(hooks.hooks.at(-1)?.body, { Any: '{"thing":1}' });
});

test('chosen by option and by HTTP control; unknown names and shapes are refused', async (t) => {
	const { url, control } = await start(t, { shapes: { list: 'items', pageSize: 7 } });
	const ask = (method: string, body?: unknown) =>
		send(url, method, '/control/shapes', { headers: {}, body });
	const chosen = { ...assumedShapes, list: 'items', pageSize: 7 };
	assert.deepEqual((await ask('GET')).json(), chosen);
	assert.deepEqual(control.shapes(), chosen);
	const changed = { ...chosen, list: 'paged', recordFields: 'snake_case' };
	const put = await ask('PUT', { list: 'paged', recordFields: 'snake_case' });
	assert.deepEqual(put.json(), changed);
	for (const [body, field] of [
		[{ list: 'tree' }, 'list'],
		[{ shape: 'x' }, 'shape'],
		[{ pageSize: 0 }, 'pageSize'],
	] as const) {
		const reply = await ask('PUT', body);
		assert.equal(reply.status, 400);
		assert.deepEqual(reply.json().error?.fields, [field]);
		assert.throws(() => control.setShapes(body as never), new RegExp(field));
		await assert.rejects(createEmulator({ shapes: body as never }), /^StartError: shapes: /);
	}
	assert.deepEqual((await ask('GET')).json(), changed);
	assert.deepEqual((await ask('DELETE')).json(), assumedShapes);
});

test('each shape is a service profile in the folder, and nothing else is there', async (t) => {
	const folder = new URL('../src/profiles/', import.meta.url);
	const files = (await readdir(folder, { recursive: true })).filter((path) => path.includes('.'));
	const named = Object.entries(unknowns).flatMap(([name, { shapes }]) =>
		shapes.map((shape) => `${name}/${shape}.json`),
	);
	assert.deepEqual(files.map((path) => path.replaceAll('\\', '/')).sort(), named.sort());
	for (const path of named) {
		const profile = JSON.parse(await readFile(new URL(path, folder), 'utf8')) as object;
		const { url } = await start(t, { profile });
		assert.equal((await send(url, 'GET', LIST)).status < 300, true, path);
	}
});

test('a shape can be given as a profile too, and what a profile says wins', async (t) => {
	const path = new URL('../src/profiles/list/items.json', import.meta.url);
	const profile = JSON.parse(await readFile(path, 'utf8')) as object;
	const { list } = profile as { list: object };
	const own = { ...profile, list: { ...list, record: { json: { id: 'x' }, roles: {} } } };
	const { url, control } = await start(t, { profile: own, shapes: { list: 'data' } });
	await control.addRecording({ content });
	assert.deepEqual((await send(url, 'GET', LIST)).json(), { items: [{ id: 'x' }] });
});

test('FAULTS.md names every unknown and every shape', async () => {
	const page = await readFile(new URL('../FAULTS.md', import.meta.url), 'utf8');
	for (const [name, { shapes }] of Object.entries(unknowns)) {
		const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``));
		assert.ok(row, `no row names ${name}`);
		for (const shape of shapes) assert.ok(row.includes(`\`${shape}\``), `${name}: ${shape}`);
	}
	assert.ok(page.includes('`pageSize`'));
});
