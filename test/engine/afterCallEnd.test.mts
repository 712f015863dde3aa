/** What becomes of a call whose recording is not there once Download has waited for it. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Engine } from '../../harness/engine/engine.mts';
import type { Execution, Json } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { ownEngine } from './engines.mts';
import { always, inRecording, reply, runOn, type Fault } from './oneRecording.mts';

const GUID = '0e8f6d6e-1111-4222-8333-444455556666';

/** The item of a webhook that arrived two minutes ago, so that the wait is over. */
function item(payload: Record<string, Json>) {
	const twoMinutesAgo = new Date(Date.now() - 120_000).toISOString();
	return {
		event: 'callEnd',
		sessionGuid: GUID,
		receivedAt: twoMinutesAgo,
		payload: { endedAt: twoMinutesAgo, ...payload },
	};
}

/** The reason of the failure, or the hint. */
function outcome(execution: Execution): string {
	const [failed] = execution.items(NODE);
	const details = failed?.json.details as { reason?: string } | undefined;
	return details?.reason ?? execution.hints(NODE).join();
}

const lists: Record<string, Fault> = {
	listed: reply([{ sessionGuid: `{${GUID.toUpperCase()}}` }]),
	'not listed': reply([]),
	'of a list that cannot be read': { kind: 'status', status: 403 },
};
const payloads: Record<string, Record<string, Json>> = {
	recorded: { recorded: true },
	'not recorded': { recorded: false },
	nothing: {},
};
const notRecorded = /says that the call was not recorded/;
/** By what the list shows, and by what the payload says. */
const expected: Record<string, Record<string, RegExp>> = {
	listed: {
		recorded: /^recordingNotReady$/,
		'not recorded': /^recordingNotReady$/,
		nothing: /^recordingNotReady$/,
	},
	'not listed': {
		recorded: /^recordingNotReady$/,
		'not recorded': notRecorded,
		nothing: /does not say whether there will be one\. If it comes, .* archives it/,
	},
	'of a list that cannot be read': {
		recorded: /^maybeGone$/,
		'not recorded': notRecorded,
		nothing: /^maybeGone$/,
	},
};

suite('a recording that is not there after CallEnd', { concurrency: 4 }, () => {
	for (const [list, byPayload] of Object.entries(expected)) {
		for (const [payload, pattern] of Object.entries(byPayload)) {
			test(`${list}, payload: ${payload}`, async (t) => {
				const engine = await ownEngine(t);
				always(engine, 'downloadRecording', { kind: 'status', status: 404 });
				always(engine, 'listRecordings', lists[list] as Fault);
				const items = [item(payloads[payload] as Record<string, Json>)];
				assert.match(outcome(await runOn(engine, 'download', GUID, {}, { items })), pattern);
			});
		}
	}

	test('fails with what it is about and what helps, and a Retry archives it', async (t) => {
		const engine = await ownEngine(t);
		const { control } = engine.emulator;
		const endedAt = new Date(Date.now() - 60_000).toISOString();
		const keptUntil = new Date(Date.parse(endedAt) + 7 * 86_400_000).toISOString();
		const guid = `{${GUID.toUpperCase()}}`;
		const items = [{ ...item({ recorded: true }), sessionGuid: guid, keptUntil }];
		const download = async () => await run(engine, items);
		const error = (await download()).nodeError(NODE);
		assert.match(String(error?.message), /not ready yet: 'recorded' in the payload says/);
		assert.match(String(error?.description), /retry this execution later/);
		assert.deepEqual(error?.context?.metadata, {
			reason: 'recordingNotReady',
			sessionGuid: guid,
			recordingKey: GUID,
			keptUntil,
		});
		const { plainSha256 } = await control.addRecording({ sessionGuid: guid, endedAt });
		assert.equal((await download()).items(NODE)[0]?.json.sha256, plainSha256);
	});
});

async function run(engine: Engine, items: Array<Record<string, Json>>): Promise<Execution> {
	return await engine.runNode({ parameters: inRecording('download'), items });
}
