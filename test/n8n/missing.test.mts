import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';

import type { FaultRule, Shapes } from '../../emulator/src/index.mts';
import type { Execution } from '../../harness/n8n/n8n.mts';
import { byGuid, NODE, startStack, type Stack } from '../../harness/stack.mts';

type Fault = FaultRule['fault'];

/** What may be concluded from an answer about one recording: that it is gone is the one thing that must never be wrong. */
suite('a recording that is missing, or only seems to be', () => {
	let stack: Stack;
	before(async () => {
		stack = await startStack();
	});
	after(async () => await stack?.stop());
	afterEach(() => {
		stack.emulator.control.clearFaults();
		stack.emulator.control.resetShapes();
	});

	async function run(
		operation: 'download' | 'delete',
		sessionGuid: string,
		options: Record<string, unknown> = {},
	): Promise<Execution> {
		return await stack.runNode({
			parameters: { resource: 'recording', operation, recording: byGuid(), options },
			items: [{ sessionGuid }],
			settings: { onError: 'continueRegularOutput' },
		});
	}

	/** Reason and text of the failure, for comparison with one pattern. */
	function failure(execution: Execution): string {
		const json = execution.items(NODE)[0]?.json;
		const { reason, description } = (json?.details ?? {}) as Record<string, string>;
		return `${reason}: ${String(json?.error)} ${description}`;
	}

	/** Answers each request for this with the fault. */
	function always(endpoint: NonNullable<FaultRule['match']>['endpoint'], fault: Fault): void {
		stack.emulator.control.addFault({ match: { endpoint }, times: 'always', fault });
	}

	const legalHold: Fault = {
		kind: 'status',
		status: 400,
		body: { message: 'legal hold: recording must not be deleted' },
	};
	const webPage: Fault = { kind: 'html', status: 404 };

	const listed = (recording: unknown): Fault => ({
		kind: 'status',
		status: 200,
		body: [recording],
	});
	const uselessLists: Array<[string, (sessionGuid: string) => Fault]> = [
		['cannot be read', () => ({ kind: 'status', status: 403 })],
		['has no list in it', () => ({ kind: 'status', status: 200, body: { recordings: 'none' } })],
		['has a record without a session GUID', (id) => listed({ call: { reference: { id } } })],
		[
			'is incomplete',
			() => ({
				kind: 'status',
				status: 200,
				body: { data: [{ sessionGuid: crypto.randomUUID() }], hasMore: true },
			}),
		],
		['has the GUID without hyphens', (id) => listed({ sessionGuid: id.replaceAll('-', '') })],
		['has the GUID in braces', (id) => listed({ sessionGuid: `{${id.toUpperCase()}}` })],
	];
	for (const [name, list] of uselessLists) {
		test(`no conclusion is drawn from a list that ${name}`, async () => {
			const { sessionGuid } = await stack.emulator.control.addRecording();
			always('listRecordings', list(sessionGuid));
			always('deleteRecording', legalHold);
			always('downloadRecording', legalHold);
			for (const operation of ['delete', 'download'] as const) {
				const rejected = /^rejected: .* The service says: legal hold: recording must not be/;
				assert.match(failure(await run(operation, sessionGuid)), rejected);
			}
			stack.emulator.control.clearFaults();
			always('listRecordings', list(sessionGuid));
			always('deleteRecording', webPage);
			always('downloadRecording', webPage);
			for (const operation of ['delete', 'download'] as const) {
				assert.match(
					failure(await run(operation, sessionGuid)),
					/^webPage: .* was answered with status 404 Check the Base URL/,
				);
			}
		});
	}

	test('a web page is no proof while the recording is listed, however long it is', async () => {
		const { sessionGuid } = await stack.emulator.control.addRecording();
		const body = `<!DOCTYPE html>${' '.repeat(200_000)}`;
		for (const fault of [
			webPage,
			{ ...webPage, status: 410 },
			{ ...legalHold, status: 404, body },
		]) {
			always('downloadRecording', fault);
			assert.match(failure(await run('download', sessionGuid)), /^webPage: /);
			stack.emulator.control.clearFaults();
		}
	});

	suite('Wait Until Available', () => {
		test('goes on while the list cannot be read', async () => {
			const { control } = stack.emulator;
			const { sessionGuid, plainSha256 } = await control.addRecording();
			for (const fault of [{ kind: 'status', status: 404 }, webPage, legalHold] as Fault[]) {
				always('listRecordings', { kind: 'status', status: 403 });
				control.addFault({ match: { endpoint: 'downloadRecording' }, fault });
				const execution = await run('download', sessionGuid, { waitUntilAvailable: 60 });
				assert.equal(execution.items(NODE)[0]?.json.sha256, plainSha256, failure(execution));
				control.clearFaults();
			}
		});

		const ends: Array<[string, Fault, RegExp]> = [
			['404', { kind: 'status', status: 404 }, /^recordingGone: .* was answered with status 404/],
			['a web page', webPage, /^webPage: /],
			['400', legalHold, /^rejected: .*legal hold/],
		];
		for (const [name, fault, expected] of ends) {
			test(`without a list, ends with what the download was answered: ${name}`, async () => {
				always('listRecordings', { kind: 'status', status: 403 });
				always('downloadRecording', fault);
				const execution = await run('download', crypto.randomUUID(), { waitUntilAvailable: 2 });
				assert.match(failure(execution), expected);
			});
		}

		test('a recording that was listed is not gone because the list cannot be read later', async () => {
			const { control } = stack.emulator;
			const { sessionGuid } = await control.addRecording();
			always('downloadRecording', { kind: 'status', status: 404 });
			control.addFault({
				match: { endpoint: 'listRecordings' },
				skip: 1,
				times: 'always',
				fault: { kind: 'status', status: 403 },
			});
			const execution = await run('download', sessionGuid, { waitUntilAvailable: 2 });
			assert.match(failure(execution), /^recordingNotReady: /);
		});

		for (const unknownGuid of ['400', '404'] as const) {
			test(`the list tells why, where an unknown recording is answered with ${unknownGuid}`, async () => {
				stack.emulator.control.setShapes({ unknownGuid, errorBody: 'html' });
				const execution = await run('download', crypto.randomUUID(), { waitUntilAvailable: 2 });
				assert.match(failure(execution), /^recordingNotFound: /);
			});
		}
	});

	suite('Delete whose first answer is lost', () => {
		const unclear: Array<[string, Fault, Partial<Shapes>]> = [
			['hung up, then 404', { kind: 'hangUp' }, {}],
			['hung up, then 400', { kind: 'hangUp' }, { unknownGuid: '400' }],
			['hung up, then a web page', { kind: 'hangUp' }, { errorBody: 'html' }],
			['502, then 410', { kind: 'status', status: 502 }, { unknownGuid: '410' }],
			['cut off within the answer, then 404', { kind: 'drop', afterBytes: 5 }, {}],
		];
		for (const [name, fault, shapes] of unclear) {
			for (const ifGone of ['succeed', 'fail']) {
				test(`${name}: deleted, by this node (${ifGone})`, async () => {
					const { control } = stack.emulator;
					const { sessionGuid } = await control.addRecording();
					control.setShapes(shapes);
					control.addFault({ match: { endpoint: 'deleteRecording' }, carryOut: true, fault });
					const execution = await run('delete', sessionGuid, { ifGone });
					assert.deepEqual(execution.items(NODE)[0]?.json, { sessionGuid, deleted: true });
					assert.equal(stack.ledger(sessionGuid).state, 'deleted');
				});
			}
		}

		test('all attempts, then a try of Retry On Fail: deleted, by this node', async () => {
			const { control } = stack.emulator;
			const { sessionGuid } = await control.addRecording();
			control.addFault({
				match: { endpoint: 'deleteRecording' },
				carryOut: true,
				times: 4,
				fault: { kind: 'hangUp' },
			});
			const execution = await stack.runNode({
				parameters: {
					resource: 'recording',
					operation: 'delete',
					recording: byGuid(),
					options: { ifGone: 'fail' },
				},
				items: [{ sessionGuid }],
				settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 100 },
			});
			assert.deepEqual(execution.items(NODE)[0]?.json, { sessionGuid, deleted: true });
		});

		test('a request that was refused has deleted nothing', async () => {
			const { control } = stack.emulator;
			control.addFault({
				match: { endpoint: 'deleteRecording' },
				fault: { kind: 'status', status: 429, retryAfter: 0 },
			});
			const execution = await run('delete', crypto.randomUUID(), { ifGone: 'fail' });
			assert.match(failure(execution), /^recordingGone: /);
		});

		test('If Already Gone is Fail, also for a service that answers 400', async () => {
			stack.emulator.control.setShapes({ unknownGuid: '400' });
			const execution = await run('delete', crypto.randomUUID(), { ifGone: 'fail' });
			assert.match(failure(execution), /^recordingGone: /);
		});
	});
});
