/** export-caller: all that there is of one number, as one ZIP, and nothing of another number. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';

import type { Row, Workflow } from '../../../harness/n8n/n8n.mts';
import { pageWorkflow, VIEWER, viewerAuthorization } from '../../../harness/pages.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { unzip } from '../../../harness/zip.mts';
import { ledgerOf, serviceOf, type Host } from '../suite.mts';

const NUMBER = '+49305550161';
const OTHER = '+49305550162';

interface About {
	ledger: Row[];
	accesses: Row[];
	problems: string[];
	notPacked: string[];
	atService: Row[];
	unclear: Row[];
}

export function exportCallerSuite(getHost: () => Host): void {
	suite('workflow: export-caller', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		const ledger = ledgerOf(() => getHost().n8n);
		const audio = Buffer.from('OggS, spoken by the caller');
		let url: string;

		before(async () => {
			const { n8n, credentials } = stack;
			const viewer = { name: 'Viewer', type: 'httpBasicAuth', data: VIEWER };
			const httpBasicAuth = await n8n.createCredential(viewer);
			const publish = async (workflow: Workflow) => {
				for (const { type, parameters } of workflow.nodes) {
					if (!type.endsWith('.webhook')) continue;
					parameters.path = String(parameters.path).replace('voiceagent', 'exported');
				}
				const id = await n8n.importWorkflow(workflow, { ...credentials, httpBasicAuth });
				await n8n.activate(id);
				return id;
			};
			await publish(pageWorkflow('find-a-call'));
			const value = await publish(pageWorkflow('forget-caller'));
			const workflow = readWorkflow('export-caller');
			const find = nodeOf(workflow, 'Find the calls with your workflow');
			find.parameters.workflowId = { __rl: true, mode: 'id', value };
			await publish(workflow);
			url = `${n8n.url}/webhook/exported/export-caller`;

			const folder = join(getHost().folder, 'exported');
			await mkdir(folder, { recursive: true });
			const enter = async (call: string, more: Row) => {
				const file = join(folder, `${call}.opus`);
				await ledger.insert({
					...{ recordingKey: call, sessionGuid: call.toUpperCase(), archive: 'Folder', file },
					...{ archivedAt: new Date().toISOString(), sha256: sha256(audio), ...more },
				});
				await writeFile(file, audio);
				await writeFile(join(folder, `${call}.json`), JSON.stringify({ call }));
				await writeFile(join(folder, `${call}.transcript.txt`), `What ${call} says`);
			};
			const transcribedAt = new Date().toISOString();
			await enter('export-1', { to: '0049 30 5550161', transcribedAt });
			await enter('export-2', { from: NUMBER, hold: true });
			await enter('export-3', { to: OTHER });
			await enter('export-4', { to: '030 5550161' });
			const failed = { recordingKey: 'export-5', sessionGuid: 'EXPORT-5', status: 'failed' };
			await ledger.insert({ ...failed, to: NUMBER });
		});

		async function get(number: string, password = VIEWER.password) {
			const headers = { authorization: viewerAuthorization(password) };
			const answer = await fetch(`${url}?number=${encodeURIComponent(number)}`, { headers });
			return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
		}
		async function exported(number: string) {
			const { bytes } = await get(number);
			const { 'about.json': about, ...packages } = unzip(bytes);
			return { about: JSON.parse(String(about)) as About, packages };
		}
		const keysOf = (rows: Row[]) => rows.map(({ recordingKey }) => recordingKey).sort();

		test('a package of each call, with rows and accesses, and nothing of others', async () => {
			const { sessionGuid } = await stack.emulator.control.addRecording({ from: NUMBER });
			const { about, packages } = await exported('+49 30 5550161');
			assert.deepEqual(Object.keys(packages).sort(), ['export-1.zip', 'export-2.zip']);
			const files = unzip(packages['export-1.zip'] ?? Buffer.alloc(0));
			assert.deepEqual(files['export-1.opus'], audio);
			assert.equal(String(files['export-1.transcript.txt']), 'What export-1 says');
			assert.equal(String(files['export-1.json']), '{"call":"export-1"}');
			assert.deepEqual(keysOf(about.ledger), ['export-1', 'export-2', 'export-5']);
			assert.deepEqual([about.notPacked, about.problems], [['export-5'], []]);
			assert.deepEqual(
				about.atService.map(({ file }) => file),
				[sessionGuid],
			);
			assert.deepEqual(
				about.unclear.map(({ call }) => call),
				['export-4'],
			);
			const exports = about.accesses.filter(({ what }) => what === 'export');
			assert.deepEqual(
				exports.map((one) => [one.askedBy, one.sessionGuid, 'ticket' in one]),
				['export-1', 'export-2', 'export-5'].map((call) => [VIEWER.user, call, false]),
			);
			assert.equal(stack.ledger(sessionGuid).state, 'stored');
			assert.equal((await ledger.rows()).length, 5);
		});

		test('an unknown number has only a file that says so', async () => {
			const { about, packages } = await exported('+49305550169');
			assert.deepEqual([packages, about.ledger, about.accesses], [{}, [], []]);
		});

		test('a request that looks like that of a page removes nothing', async () => {
			const authorization = viewerAuthorization();
			const query = `number=${encodeURIComponent(NUMBER)}`;
			const page = `${url.replace('export-', 'forget-')}?${query}`;
			const shown = await (await fetch(page, { headers: { authorization } })).text();
			const [, calls = ''] = /name="calls" value="([^"]+)"/.exec(shown) ?? [];
			assert.ok(calls.includes('export-1 '), shown);
			const body = JSON.stringify({ number: NUMBER, calls });
			const headers = {
				authorization,
				'content-type': 'application/json',
				'content-length': Buffer.byteLength(body),
			};
			const asked = request(`${url}?${query}`, { headers });
			asked.end(body);
			const [answer] = (await once(asked, 'response')) as [IncomingMessage];
			answer.resume();
			await once(answer, 'end');
			assert.equal(answer.statusCode, 200);
			assert.equal((await ledger.rows()).length, 5);
		});

		test('nothing is given out without the password', async () => {
			assert.equal((await get(NUMBER, 'wrong')).status, 401);
		});
	});
}
