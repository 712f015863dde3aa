/** A small service of its own: its list, its records and its refusals are those of a public API. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';

import { listen } from '../../harness/listen.mts';
import { root } from '../../scripts/paths.mjs';

export interface PublicCall {
	sessionGuid: string;
	to: string;
	from: string;
	endMs: number;
	seconds: number;
}

interface PublicList {
	list: string;
	complete: unknown;
	first?: unknown;
	second?: unknown;
	secondWhen?: Array<[parameter: string, value: string]>;
}

interface Refusal {
	status: number;
	body: unknown;
}

/** What is refused, and how. */
export interface Refusals {
	key: Refusal;
	unknown: Refusal;
}

const iso = (ms: number) => new Date(ms).toISOString();

/** How a record may be written. */
export const recordForms = {
	camelCase: ({ sessionGuid, to, from, endMs, seconds }: PublicCall) => ({
		...{ sessionGuid, to, from, startedAt: iso(endMs - seconds * 1000), endedAt: iso(endMs) },
		durationSeconds: seconds,
	}),
	snake_case: ({ sessionGuid, to, from, endMs, seconds }: PublicCall) => ({
		...{ session_guid: sessionGuid, to_number: to, from_number: from },
		...{ start_time: endMs / 1000 - seconds, end_time: endMs / 1000, duration: seconds },
	}),
	nested: ({ sessionGuid, to, from, endMs, seconds }: PublicCall) => ({
		...{ type: 'recording', sessionGuid },
		attributes: {
			...{ to, from, startTime: iso(endMs - seconds * 1000), endTime: iso(endMs) },
			duration: String(seconds),
		},
	}),
	PascalCase: ({ sessionGuid, to, from, endMs, seconds }: PublicCall) => ({
		...{ SessionGuid: sessionGuid, To: `tel:${to}`, From: `tel:${from}` },
		...{ StartedAt: `/Date(${endMs - seconds * 1000})/`, EndedAt: `/Date(${endMs})/` },
	}),
	otherNames: ({ sessionGuid, to, from, endMs, seconds }: PublicCall) => ({
		call: { callee: { number: to }, caller: { number: from } },
		...{ ref: sessionGuid, begin: iso(endMs - seconds * 1000), finish: iso(endMs) },
		...{ talk: seconds * 1000, tags: ['a', 'b'], note: null },
	}),
};

export const refusals = JSON.parse(
	readFileSync(join(root, 'test/vectors/publicApis/errors.json'), 'utf8'),
) as Refusal[];

/** Two refusals of public APIs; some services say them with the status of a success. */
export function refusalsOf(index: number): Refusals {
	const keys = refusals.filter(({ status }) => status === 401 || status === 403);
	const others = refusals.filter(({ status }) => [400, 404, 422].includes(status));
	const key = keys[index % keys.length] ?? { status: 401, body: {} };
	const unknown = others[index % others.length] ?? { status: 404, body: {} };
	return { key, unknown: { ...unknown, status: unknown.status === 422 ? 410 : unknown.status } };
}

interface PublicService {
	list: PublicList;
	calls: readonly PublicCall[];
	form: keyof typeof recordForms;
	refusals: Refusals;
	audio: Buffer;
	apiKey: string;
}

/** As the vectors have it. */
const PAGE_SIZE = 2;
const LIST = '/api/customer/recordings';

export async function publicService(service: PublicService) {
	const deleted = new Set<string>();
	let origin = '';
	const server = createServer((request, response) => {
		const url = new URL(request.url ?? '', origin);
		answer({ ...service, deleted, origin }, request, response, url);
	});
	const { port, close } = await listen(server);
	origin = `http://127.0.0.1:${port}`;
	return {
		url: origin,
		close,
		restore: () => deleted.clear(),
		remove: (guid: string) => deleted.add(guid),
	};
}

function answer(
	service: PublicService & { deleted: Set<string>; origin: string },
	request: IncomingMessage,
	response: ServerResponse,
	url: URL,
): void {
	const { refusals, apiKey, calls, deleted, audio } = service;
	const send = ({ status, body }: Refusal) =>
		response
			.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'f00d' })
			.end(JSON.stringify(body));
	if (request.headers.token !== apiKey) return void send(refusals.key);
	if (url.pathname === LIST) return void send({ status: 200, body: pageOf(service, url) });
	if (url.pathname === '/api/customer/makecall') {
		return void send({ status: 201, body: { call: { id: calls[0]?.sessionGuid } } });
	}
	const guid = decodeURIComponent(url.pathname.slice(LIST.length + 1));
	const isKnown = calls.some(({ sessionGuid }) => sessionGuid === guid) && !deleted.has(guid);
	if (!isKnown || !url.pathname.startsWith(LIST)) return void send(refusals.unknown);
	if (request.method === 'DELETE') {
		deleted.add(guid);
		return void response.writeHead(204).end();
	}
	response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': audio.length });
	response.end(request.method === 'HEAD' ? undefined : audio);
}

/** The page of the vector, with the records that are left in place of its own. */
function pageOf(
	{ list, calls, deleted, form, origin }: PublicService & { deleted: Set<string>; origin: string },
	url: URL,
): unknown {
	const { complete, first, second } = list;
	const left = calls.filter(({ sessionGuid }) => !deleted.has(sessionGuid));
	const start = startOf(list, url);
	const isPaged = first !== undefined && left.length > PAGE_SIZE;
	const isLast = start + PAGE_SIZE >= left.length;
	const page = isPaged ? (isLast ? second : first) : complete;
	const shown = isPaged ? left.slice(start, start + PAGE_SIZE) : left;
	const records = shown.map((call) => recordForms[form](call));
	const text = JSON.stringify(withRecords(page, list.list, records));
	return JSON.parse(text.replaceAll('{base}', origin));
}

/** The position of the first record that a request asks for. */
function startOf({ secondWhen = [], first }: PublicList, url: URL): number {
	for (const [name] of secondWhen) {
		const value = url.searchParams.get(name);
		if (value === null) continue;
		const values = secondWhen.filter(([other]) => other === name).map(([, one]) => one);
		const isPosition = values.includes('2') && values.includes('3');
		const shown = new RegExp(`"${name}":(\\d+)`).exec(JSON.stringify(first))?.[1];
		if (isPosition && /^\d+$/.test(value)) return Math.max(0, Number(value) - Number(shown ?? 0));
		if (values.includes(value)) return PAGE_SIZE;
	}
	return 0;
}

function withRecords(page: unknown, path: string, records: unknown[]): unknown {
	if (path === '' || Array.isArray(page)) return records;
	const [name = '', ...others] = path.split('.');
	const object = page as Record<string, unknown>;
	return {
		...object,
		[name]: others.length === 0 ? records : withRecords(object[name], others.join('.'), records),
	};
}
