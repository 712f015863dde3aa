/** after-archiving: a step of the user's own for each archived call. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { suite, test } from 'node:test';

import { executionsFor } from '../../../harness/executions.mts';
import { listen } from '../../../harness/listen.mts';
import type { Workflow } from '../../../harness/n8n/n8n.mts';
import { until } from '../../../harness/until.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { CALL_END, sendCallEndsTo } from '../archived.mts';
import { shared, succeeded, type Host } from '../suite.mts';
import { sweepOfOne } from './sweepOfOne.mts';
import { sweepsOf } from './sweepSetup.mts';

const START = 'Start after-archiving';

/** A CRM that takes rows, and refuses as many of them as it is told. */
async function startCrm() {
	const rows: Array<Record<string, unknown>> = [];
	const crm = { refusals: 0 };
	const server = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			const isRefused = crm.refusals-- > 0;
			if (!isRefused) rows.push(JSON.parse(body) as Record<string, unknown>);
			response.writeHead(isRefused ? 503 : 201).end();
		});
	});
	const { port, close } = await listen(server);
	const refuse = (times: number) => void (crm.refusals = times);
	return { url: `http://127.0.0.1:${port}/calls`, rows, refuse, close };
}

export function afterArchivingSuite(getHost: () => Host): void {
	suite('workflow: after-archiving', { concurrency: 1 }, () => {
		const crm = shared(startCrm);
		const setup = sweepsOf(getHost);

		/** The archive workflow with what its user chooses in the last node. */
		async function archiveThatStarts(workflowId: string): Promise<string> {
			const workflow: Workflow = setup.archive.configured();
			const node = nodeOf(workflow, START);
			node.disabled = false;
			node.parameters.workflowId = { __rl: true, mode: 'id', value: workflowId };
			const id = await setup.n8n.importWorkflow(workflow, setup.credentials);
			await setup.n8n.activate(id);
			return id;
		}

		async function publishAfterArchiving(): Promise<string> {
			const workflow = readWorkflow('after-archiving');
			const send = nodeOf(workflow, 'Send the call to your CRM');
			send.disabled = false;
			send.parameters.url = crm.url;
			send.waitBetweenTries = 100;
			workflow.settings = { ...workflow.settings, errorWorkflow: setup.noticeId };
			const id = await setup.n8n.importWorkflow(workflow);
			await setup.n8n.activate(id);
			return id;
		}

		test('gets the row of each archived call once, although the CRM refuses it at first', async () => {
			const { control } = setup.emulator;
			const workflowId = await archiveThatStarts(await publishAfterArchiving());
			await sendCallEndsTo(setup, workflowId);
			const { sessionGuid, plainSha256, plainBytes } = await control.addRecording({
				to: '+15550100',
			});
			crm.refuse(2);
			await control.sendCallEnd(sessionGuid);
			const query = { workflowId, trigger: CALL_END, sessionGuid, count: 1 };
			succeeded((await executionsFor(setup.n8n, query))[0]);
			const row = await until(
				() => crm.rows[0],
				() => 'no row of a call',
			);
			const { archivedAt, deletedAt, file, ...others } = row;
			assert.ok(archivedAt && deletedAt && String(file).includes(sessionGuid));
			assert.deepEqual(others, {
				recordingKey: sessionGuid,
				sessionGuid,
				status: 'archived',
				to: '+15550100',
				endedAt: setup.ledger(sessionGuid).endedAt,
				archive: 'Folder',
				bytes: plainBytes,
				sha256: plainSha256,
				deleted: true,
				kept: false,
				lastError: null,
				verifiedAt: null,
				verification: null,
			});
			assert.equal(crm.rows.length, 1);
			// The example in the note has these fields, and the number of the caller, which was unknown
			// here.
			const { content } = nodeOf(readWorkflow('after-archiving'), 'About the row').parameters;
			const [, example = ''] = /```json\n([^`]+)```/.exec(String(content)) ?? [];
			const { from, ...shown } = JSON.parse(example) as Record<string, unknown>;
			assert.match(String(from), /^\+1555/);
			assert.deepEqual(
				Object.keys(shown).filter((field) => !(field in row)),
				[],
			);
		});

		test('tells failure-notice if the CRM takes nothing, and which call that is', async () => {
			const { control } = setup.emulator;
			const workflowId = await archiveThatStarts(await publishAfterArchiving());
			await sendCallEndsTo(setup, workflowId);
			const { sessionGuid } = await control.addRecording({ to: '+15550100' });
			crm.refuse(5);
			await control.sendCallEnd(sessionGuid);
			const text = await setup.noticeWith('after-archiving', sessionGuid);
			assert.match(text, /\*after-archiving\* has failed in \*Report the call that failed\*: http/);
			assert.match(text, /^The recording is archived: .*call /m);
			assert.match(text, /^Reason: Your CRM has not taken the call: .*503/m);
			assert.match(text, /^What helps: .* enter it in your CRM by hand\.?$/m);
			assert.doesNotMatch(text, /at risk/);
			await setup.assertArchived(sessionGuid);
		});

		test('that cannot be started holds nothing up, and a sweep learns that the call is archived', async () => {
			const { n8n } = setup;
			// n8n publishes nothing that starts an unpublished one, but lets that be unpublished later.
			const id = await publishAfterArchiving();
			const workflowId = await archiveThatStarts(id);
			await n8n.deactivate(id);
			const sessionGuid = await setup.waiting(1);
			const { endedAt } = setup.ledger(sessionGuid);
			const { archivedAt } = await sweepOfOne(setup, workflowId, { sessionGuid, endedAt });
			assert.ok(archivedAt);
			await setup.assertArchived(sessionGuid);
		});
	});
}
