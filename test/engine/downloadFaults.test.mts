import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { assertNoSecret } from '../../harness/secrets.mts';
import { API_KEY, PASSWORD } from '../../harness/serviceAccess.mts';
import { ownEngine } from './engines.mts';
import { inRecording, type Fault } from './oneRecording.mts';
import { assertFailed } from './outcome.mts';

suite('faults of the service, on real sockets', { concurrency: 6 }, () => {
	/** The beginning of a recording, although nobody asked for a part. */
	const part: Fault = {
		kind: 'status',
		status: 206,
		contentType: 'audio/wav',
		body: 'RIFF....WAVEfmt ',
	};

	/** One download under a fault, and what the service saw of it. */
	async function download(
		t: TestContext,
		fault: Fault,
		{ times = 1, password = undefined as string | undefined, options = {} } = {},
	) {
		const engine = await ownEngine(t);
		const { control } = engine.emulator;
		const recording = await control.addRecording({ format: 'wav', password, durationSeconds: 1 });
		control.addFault({ match: { endpoint: 'downloadRecording' }, times, fault });
		const execution = await engine.runNode({
			parameters: inRecording('download', { options }),
			items: [{ sessionGuid: recording.sessionGuid }],
		});
		const requests = control.requests();
		assert.ok(!requests.some(({ method }) => method === 'DELETE'));
		await assertNoSecret(execution.raw, API_KEY);
		const downloads = requests.filter(({ path }) => path.endsWith(`/${recording.sessionGuid}`));
		const sentMs = downloads.map(({ time }) => Date.parse(time));
		return {
			execution,
			recording,
			attempts: downloads.length,
			pausesMs: sentMs.slice(1).map((time, index) => time - Number(sentMs[index])),
		};
	}

	const passing: Array<{
		name: string;
		fault: Fault;
		times?: number;
		password?: string;
		/** The shortest pauses before the further attempts, in milliseconds. */
		pauses?: number[];
	}> = [
		// The longest first: these wait for a minute, or half of one.
		{ name: 'a silent server [fault 4]', fault: { kind: 'silent' }, pauses: [60_000] },
		{
			name: 'silence in the middle of the body [fault 4]',
			fault: { kind: 'silent', afterBytes: 1000 },
			pauses: [60_000],
		},
		{
			name: '503 with an absurd Retry-After, which is capped [fault 9]',
			fault: { kind: 'status', status: 503, retryAfter: 86_400 },
			pauses: [30_000],
		},
		{
			name: '503 with Retry-After in seconds [fault 9]',
			fault: { kind: 'status', status: 503, retryAfter: 2 },
			pauses: [2_000],
		},
		{
			name: '429 with a date [fault 9]',
			// A date has whole seconds.
			fault: { kind: 'status', status: 429, retryAfterDate: 4 },
			pauses: [3_000],
		},
		{
			name: 'a connection that is dropped mid-body, with a length [fault 1]',
			fault: { kind: 'drop', afterBytes: 1000 },
			pauses: [250],
		},
		{
			name: 'a connection that is dropped mid-body, chunked [fault 1]',
			fault: { kind: 'drop', afterBytes: 1000, chunked: true },
		},
		{ name: 'a hang-up without an answer', fault: { kind: 'hangUp' } },
		{
			name: 'an encrypted body that the end of the connection cuts [fault 2]',
			fault: { kind: 'closeDelimited', atBytes: 1000 },
			password: PASSWORD,
		},
		{
			name: 'a plain body that the end of the connection cuts [fault 2]',
			fault: { kind: 'closeDelimited', atBytes: 1000 },
		},
		{
			name: 'a Content-Length that is too long [fault 3]',
			fault: { kind: 'wrongLength', delta: 10 },
		},
		{
			name: '500, three times, with growing pauses [fault 8]',
			fault: { kind: 'status', status: 500 },
			times: 3,
			pauses: [250, 500, 1_000],
		},
		{ name: 'a part that nobody asked for', fault: part },
	];
	for (const { name, fault, times = 1, password, pauses = [] } of passing) {
		test(`after ${name}, the recording is downloaded again`, async (t) => {
			const { execution, recording, attempts, pausesMs } = await download(t, fault, {
				times,
				password,
			});
			assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
			assert.equal(execution.items(NODE)[0]?.json.sha256, recording.plainSha256);
			assert.equal(attempts, times + 1);
			for (const [index, shortest] of pauses.entries()) {
				// Timers may fire a little early.
				assert.ok(Number(pausesMs[index]) >= shortest - 20, `${pausesMs} ms`);
			}
		});
	}

	const cut: Fault = { kind: 'closeDelimited', atBytes: 1000 };
	const tooLong: Fault = { kind: 'wrongLength', delta: 10 };
	const tooShort: Fault = { kind: 'wrongLength', delta: -10 };
	const lost = /^The connection .*(?:lost|broke|closed)/;
	const incomplete = /^The recording is not complete: it has \d+ of \d+ bytes/;
	const sealed = { password: PASSWORD };
	const small = { options: { maxSize: 2 } };
	type Refused = [string, Fault, RegExp, { password?: string; options?: object }?];
	const refused: Record<'at once' | 'in the end' | 'at some time', Refused[]> = {
		'at once': [
			['an endless body [fault 6]', { kind: 'endless' }, /too large/, small],
			['a gzip bomb [fault 7]', { kind: 'gzipBomb', bytes: 50_000_000 }, /too large/, small],
			['401 [fault 10]', { kind: 'status', status: 401 }, /does not accept the API key/],
			['403 [fault 10]', { kind: 'status', status: 403 }, /lacks permission/],
			['404, although it is listed', { kind: 'status', status: 404 }, /not ready yet/],
			['a web page with 200 [fault 13]', { kind: 'html' }, /not a recording/],
			['200 without a body [fault 14]', { kind: 'empty' }, /not a recording/],
			['204 [fault 14]', { kind: 'empty', status: 204 }, /not ready yet/],
		],
		'in the end': [
			['a Content-Length that is too long [fault 3]', tooLong, lost],
			['a plain body that is cut [fault 2]', cut, /^The recording is not complete: it has 1000 of/],
			['an encrypted body that is cut [fault 2]', cut, /cannot be decrypted/, sealed],
			['a part', part, /^The recording is not complete: only a part of it arrived$/],
			['500 [fault 8]', { kind: 'status', status: 500 }, /failed to process the request/],
		],
		'at some time': [
			['a Content-Length that is too short, plain [fault 3]', tooShort, incomplete],
			[
				'a Content-Length that is too short, encrypted [fault 3]',
				tooShort,
				/cannot be decrypted/,
				sealed,
			],
		],
	};
	for (const [when, rows] of Object.entries(refused)) {
		for (const [name, fault, message, more] of rows) {
			test(`${name}, each time, is refused ${when}`, async (t) => {
				const { execution, attempts } = await download(t, fault, { times: 9, ...more });
				assertFailed(execution, message);
				if (when !== 'at some time') assert.equal(attempts, when === 'at once' ? 1 : 4);
			});
		}
	}

	test('a key that the service echoes is not shown [fault 42]', async (t) => {
		for (const status of [500, 400]) {
			const { execution } = await download(t, { kind: 'echoToken', status }, { times: 9 });
			assert.equal(execution.status, 'error');
		}
	});
});
