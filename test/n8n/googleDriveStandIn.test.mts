/** The stand-in of Google Drive behaves as Google documents the real one. Without n8n. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, suite, test } from 'node:test';

import { fetch, ProxyAgent } from 'undici';

import { startGoogleDrive, type GoogleDrive } from '../../harness/standIns/googleDrive.mts';

const FILES = 'https://www.googleapis.com/drive/v3/files';
const UPLOAD = 'https://www.googleapis.com/upload/drive/v3/files';
const UNIT = 256 * 1024;

interface Answer {
	status: number;
	headers: Headers;
	body: Record<string, unknown>;
}

suite('stand-in of Google Drive', () => {
	let drive: GoogleDrive;
	let dispatcher: ProxyAgent;
	let authorization: string;

	before(async () => {
		drive = await startGoogleDrive();
		const { HTTPS_PROXY = '', NODE_EXTRA_CA_CERTS = '' } = drive.env;
		const ca = readFileSync(NODE_EXTRA_CA_CERTS, 'utf8');
		dispatcher = new ProxyAgent({ uri: HTTPS_PROXY, requestTls: { ca } });
		const { oauthTokenData } = drive.oauthCredential().data as {
			oauthTokenData: { access_token: string };
		};
		authorization = `Bearer ${oauthTokenData.access_token}`;
	});
	after(async () => {
		await dispatcher?.close();
		await drive?.close();
	});
	beforeEach(() => drive.clear());

	async function call(
		method: string,
		url: string,
		{ body, headers = {} }: { body?: Buffer | object; headers?: Record<string, string> } = {},
	): Promise<Answer> {
		const reply = await fetch(url, {
			method,
			dispatcher,
			redirect: 'manual',
			headers: { authorization, ...headers },
			body: Buffer.isBuffer(body) ? body : body && JSON.stringify(body),
		});
		const text = await reply.text();
		const json: unknown = text.startsWith('{') ? JSON.parse(text) : {};
		return {
			status: reply.status,
			headers: reply.headers as unknown as Headers,
			body: json as Answer['body'],
		};
	}

	const create = async (name: string, parents = ['root']) => {
		const { body } = await call('POST', FILES, { body: { name, parents } });
		return String(body.id);
	};
	const list = async (parameters: Record<string, string>) =>
		await call('GET', `${FILES}?${new URLSearchParams(parameters)}`);
	const names = async (q: string) => {
		const { body } = await list({ q });
		return (body.files as { name: string }[]).map(({ name }) => name);
	};
	const message = ({ body }: Answer) => (body.error as { message: string }).message;

	test('a resumable upload in chunks, and what is refused on the way', async () => {
		const content = Buffer.alloc(UNIT + 100, 7);
		const started = await call('POST', `${UPLOAD}?uploadType=resumable&fields=id,size`, {
			body: { name: 'a.wav' },
			headers: { 'x-upload-content-type': 'audio/wav' },
		});
		const session = started.headers.get('location') ?? '';
		const put = async (from: number, to: number, total: number | string) =>
			await call('PUT', session, {
				body: content.subarray(from, to),
				headers: { 'content-range': `bytes ${from}-${to - 1}/${total}`, authorization: '' },
			});
		assert.equal((await put(0, 1000, content.length)).status, 400);
		assert.equal((await put(UNIT, content.length, content.length)).status, 400);
		const first = await put(0, UNIT, content.length);
		assert.equal(first.status, 308);
		assert.equal(first.headers.get('range'), `bytes=0-${UNIT - 1}`);
		assert.deepEqual(drive.files(), []);
		const asked = await call('PUT', session, { headers: { 'content-range': 'bytes */*' } });
		assert.equal(asked.headers.get('range'), `bytes=0-${UNIT - 1}`);
		const last = await put(UNIT, content.length, content.length);
		assert.equal(last.status, 200);
		assert.equal(last.body.size, String(content.length));
		assert.deepEqual(Object.keys(last.body).sort(), ['id', 'size']);
		const [file] = drive.files();
		assert.ok(file?.content.equals(content));
		assert.equal(file?.mimeType, 'audio/wav');
		const unknown = session.replace(/upload_id=.*/, 'upload_id=x');
		assert.equal((await call('PUT', unknown, { body: content })).status, 404);
	});

	test('after a lost answer the file is there, and the session knows it', async () => {
		drive.addFault({ on: 'upload', kind: 'loseAnswer' });
		const started = await call('POST', `${UPLOAD}?uploadType=resumable`, { body: { name: 'a' } });
		const session = started.headers.get('location') ?? '';
		await assert.rejects(call('PUT', session, { body: Buffer.from('abc') }));
		const asked = await call('PUT', session, { headers: { 'content-range': 'bytes */3' } });
		assert.equal(asked.body.id, drive.files()[0]?.id);
	});

	test('search by a property', async () => {
		const tagged = await create('tagged');
		await call('PATCH', `${FILES}/${tagged}`, { body: { properties: { call: 'a 1' } } });
		assert.deepEqual(
			await names("properties has { key='call' and value='a 1' } and trashed = false"),
			['tagged'],
		);
		assert.deepEqual(await names("properties has { key='call' and value='a 2' }"), []);
		await call('DELETE', `${FILES}/${tagged}`);
	});

	test('search expressions', async () => {
		const folder = drive.addFolder('Calls');
		await create('HelloWorld one');
		await create("it's.wav", [folder]);
		const trashed = await create('old', [folder]);
		await call('PATCH', `${FILES}/${trashed}`, { body: { trashed: true } });
		assert.deepEqual(await names("name contains 'hello' and trashed=false"), ['HelloWorld one']);
		assert.deepEqual(await names("name contains 'World'"), []);
		assert.deepEqual(await names("name contains 'one'"), ['HelloWorld one']);
		assert.deepEqual(await names(`name = 'It\\'s.wav' and '${folder}' in parents`), ["it's.wav"]);
		assert.deepEqual(await names(`'${folder}' in parents`), ['old', "it's.wav"]);
		assert.deepEqual(await names('trashed = true'), ['old']);
		assert.deepEqual(await names("mimeType = 'application/vnd.google-apps.folder'"), ['Calls']);
		assert.deepEqual(await names("'root' in parents and not (name = 'Calls' or name = 'x')"), [
			'HelloWorld one',
		]);
		for (const q of [
			"nonsense = 'x'",
			"name = 'x",
			'trashed',
			"name = 'a' name = 'b'",
			'trashed = 1',
		]) {
			const answer = await list({ q });
			assert.equal(answer.status, 400, q);
			assert.equal(message(answer), 'Invalid Value');
		}
	});

	test('fields and pages', async () => {
		const folder = drive.addFolder('Pages');
		for (const name of ['a', 'b', 'c']) await create(name, [folder]);
		const q = `'${folder}' in parents`;
		const { body: standard } = await list({ q });
		assert.deepEqual(Object.keys(standard).sort(), ['files', 'incompleteSearch', 'kind']);
		const [first] = standard.files as object[];
		assert.deepEqual(Object.keys(first ?? {}), ['kind', 'id', 'name', 'mimeType']);
		const page = { q, orderBy: 'name desc', pageSize: '2', fields: 'nextPageToken, files(name)' };
		const { body } = await list(page);
		assert.deepEqual(body.files, [{ name: 'c' }, { name: 'b' }]);
		const rest = await list({ ...page, pageToken: String(body.nextPageToken) });
		assert.deepEqual(rest.body, { files: [{ name: 'a' }] });
		const wrong = await list({ fields: 'files(id,nonsense)' });
		assert.equal(wrong.status, 400);
		assert.equal(message(wrong), 'Invalid field selection nonsense');
	});

	test('refusals', async () => {
		const bare = await call('GET', FILES, { headers: { authorization: '' } });
		assert.equal(bare.status, 401);
		const missing = await call('GET', `${FILES}/nope`);
		assert.equal(missing.status, 404);
		assert.equal(message(missing), 'File not found: nope.');
		const orphan = await call('POST', FILES, { body: { name: 'a', parents: ['nope'] } });
		assert.equal(orphan.status, 404);
		const id = await create('a');
		const second = await call('PATCH', `${FILES}/${id}?addParents=${drive.addFolder('B')}`);
		assert.equal(second.status, 403);
		assert.equal((await call('DELETE', `${FILES}/${id}`)).status, 204);
		assert.deepEqual(drive.files(), []);
		await assert.rejects(call('GET', 'https://example.com/'));
		assert.deepEqual(drive.refusedHosts(), ['example.com:443']);
	});
});
