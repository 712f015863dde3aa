/** The stand-in of Google Drive behaves as Google documents the real one. Without n8n. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';

import { fetch, ProxyAgent } from 'undici';

import { startGoogleDrive, type GoogleDrive } from '../../harness/standIns/googleDrive.mts';

const FILES = 'https://www.googleapis.com/drive/v3/files';
const UPLOAD = 'https://www.googleapis.com/upload/drive/v3/files';
const UNIT = 256 * 1024;

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

	async function call(method: string, url: string, body?: Buffer | object, headers: object = {}) {
		const reply = await fetch(url, {
			method,
			dispatcher,
			headers: { authorization, ...headers },
			body: Buffer.isBuffer(body) ? body : body && JSON.stringify(body),
		});
		const text = await reply.text();
		const json = (text && JSON.parse(text)) as Record<string, unknown>;
		return { status: reply.status, headers: reply.headers, body: json };
	}

	test('a resumable upload in chunks, and what is refused on the way', async () => {
		const content = Buffer.alloc(UNIT + 100, 7);
		const started = await call('POST', `${UPLOAD}?uploadType=resumable`, { name: 'a.wav' });
		const session = started.headers.get('location') ?? '';
		const put = async (from: number, to: number) =>
			await call('PUT', session, content.subarray(from, to), {
				'content-range': `bytes ${from}-${to - 1}/${content.length}`,
			});
		assert.equal((await put(0, 1000)).status, 400);
		assert.equal((await put(UNIT, content.length)).status, 400);
		const first = await put(0, UNIT);
		assert.equal(first.status, 308);
		assert.equal(first.headers.get('range'), `bytes=0-${UNIT - 1}`);
		assert.deepEqual(drive.files(), []);
		const last = await put(UNIT, content.length);
		assert.equal(last.status, 200);
		assert.deepEqual(Object.keys(last.body), ['kind', 'id', 'name', 'mimeType']);
		assert.ok(drive.files()[0]?.content.equals(content));
		const all = await call('GET', `${FILES}/${String(last.body.id)}?fields=*`);
		assert.equal(all.body.sha256Checksum, drive.files()[0]?.sha256Checksum);
	});

	test('search expressions', async () => {
		const parents = [drive.addFolder('Calls')];
		drive.addFile("it's.wav", Buffer.alloc(1), { parents, properties: { call: 'a 1' } });
		drive.addFile('old', Buffer.alloc(1), { trashed: true });
		const found = async (q: string) => {
			const fields = 'nextPageToken, files(name)';
			const { body } = await call('GET', `${FILES}?${new URLSearchParams({ q, fields })}`);
			return (body.files as { name: string }[]).map(({ name }) => name);
		};
		const byName = "name = 'It\\'s.wav'";
		const byProperty = "properties has { key='call' and value='a 1' }";
		assert.deepEqual(await found(`${byName} and trashed = false`), ["it's.wav"]);
		assert.deepEqual(await found(`(${byName} or ${byProperty}) and trashed = true`), []);
		assert.deepEqual(await found(`trashed = true or ${byProperty}`), ["it's.wav", 'old']);
		assert.deepEqual(await found("mimeType = 'application/vnd.google-apps.folder'"), ['Calls']);
	});

	test('refusals', async () => {
		assert.equal((await call('GET', FILES, undefined, { authorization: '' })).status, 401);
		assert.equal((await call('GET', `${FILES}/nope`)).status, 404);
		await assert.rejects(call('GET', 'https://example.com/'));
	});
});
