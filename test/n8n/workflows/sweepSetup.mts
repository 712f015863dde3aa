/** A service, an archive folder and the workflows around a sweep, in an n8n that others use too. */
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution, Workflow } from '../../../harness/n8n/n8n.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { folderArchive } from '../../../harness/standIns/archives.mts';
import { startChat } from '../../../harness/standIns/chat.mts';
import { nodeOf, readWorkflow, sweepInto } from '../../../harness/workflows.mts';
import { assertArchived, publishArchive } from '../archived.mts';
import { deleteRecording, shared, type Host } from '../suite.mts';

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export type SweepSetup = Awaited<ReturnType<typeof setUpSweeps>>;

/** How a user changes the workflows. */
export interface Changes {
	archive?: (workflow: Workflow) => void;
	sweep?: (workflow: Workflow) => void;
	notice?: (workflow: Workflow) => void;
	/** Notices of the same cause wait for one another, as imported. */
	sameCauseWaits?: boolean;
}

/** Each test waits for its own notice, whose cause another test may have had before. */
function postsEachAtOnce(workflow: Workflow): void {
	const { parameters } = nodeOf(workflow, 'Get the first notice of the cause');
	const text = JSON.stringify(parameters);
	assert.ok(text.includes('"cause"') && text.includes('$json.cause'));
	const own = text.replace('"cause"', '"notice"').replace('$json.cause', '$json.notice');
	Object.assign(parameters, JSON.parse(own));
}

/**
 * @param host its `folder` is where the archive gets a folder of its own; its `stack` is a service
 * that there is already
 */
export async function setUpSweeps(host: Host & { stack?: Stack }, changes: Changes = {}) {
	const { n8n } = host;
	const stack = host.stack ?? (await addService(n8n));
	const { control } = stack.emulator;
	const archive = await folderArchive(host.folder);
	const chat = await startChat();
	const notice = readWorkflow('failure-notice');
	nodeOf(notice, 'Post the notice to your chat').parameters.url = chat.url;
	if (!changes.sameCauseWaits) postsEachAtOnce(notice);
	changes.notice?.(notice);
	const noticeId = await n8n.importWorkflow(notice, stack.credentials);
	await n8n.activate(noticeId);
	const archiving = reporting(archive.configured(), noticeId);
	changes.archive?.(archiving);
	const archiveId = await publishArchive(stack, archiving);

	return {
		...stack,
		archive,
		archiveId,
		noticeId,
		/** Publishes the sweep, which looks once, until it has started this many executions. */
		async sweep(count: number, into = archiveId): Promise<Execution[]> {
			const workflow = reporting(sweepInto(into), noticeId);
			changes.sweep?.(workflow);
			const workflowId = await n8n.importWorkflow(workflow, stack.credentials);
			await n8n.activate(workflowId);
			const executions = await n8n.waitForExecutions({ workflowId, count });
			await n8n.deactivate(workflowId);
			return executions;
		},
		/** Stores a recording whose call ended that many days ago. */
		async waiting(days: number, password?: string): Promise<string> {
			const endedAt = new Date(control.now() - days * DAY).toISOString();
			return (await control.addRecording({ endedAt, password })).sessionGuid;
		},
		async assertArchived(sessionGuid: string): Promise<void> {
			assertArchived(await archive.files(), stack.ledger(sessionGuid));
		},
		/** Session GUIDs of the downloads so far, in their order. */
		downloads: () =>
			control
				.requests()
				.filter(({ method, path }) => method === 'GET' && /recordings\/./.test(path))
				.map(({ path }) => path.split('/').at(-1)),
		/**
		 * Waits for a notice that has these parts: a failure in a sweep brings two notices, and those
		 * of former tests may come late.
		 */
		noticeWith: chat.noticeWith,
		/** Lets the chat take no notices from now on, or take them again. */
		refuseNotices: chat.refuse,
		/** All notices so far. */
		notices: chat.messages,
		/** Removes everything that a test has left in the service. */
		async clear(): Promise<void> {
			control.clearFaults();
			for (const { sessionGuid, state } of control.recordings()) {
				if (state !== 'stored') continue;
				await deleteRecording(stack, sessionGuid);
			}
			control.clearLogs();
		},
		async stop() {
			await stack.stop();
			chat.close();
			await archive.close();
		},
	};
}

/** For the tests of a suite, each of which finds a service without recordings. */
export function sweepsOf(getHost: () => Host, changes?: Changes): SweepSetup {
	const setup = shared(async () => await setUpSweeps(getHost(), changes));
	afterEach(async () => await setup.clear());
	return setup;
}

/** The sweep finds the recording in the list, and then it is gone. */
export async function goneAfterListing(
	{ emulator: { control } }: SweepSetup,
	sessionGuid: string,
): Promise<void> {
	// The failure notices of former tests read the list, too, and come late.
	const lists = () => control.requests().filter(({ path }) => path.endsWith('/recordings')).length;
	for (let before = -1; before !== lists(); await sleep(3_000)) before = lists();
	const always = { times: 'always' } as const;
	const match = { endpoint: 'downloadRecording', sessionGuid } as const;
	control.addFault({ match, ...always, fault: { kind: 'status', status: 404 } });
	const fault = { kind: 'status', status: 200, body: [] } as const;
	control.addFault({ match: { endpoint: 'listRecordings' }, skip: 1, ...always, fault });
}

/** A workflow with the error workflow that its user chooses in its settings. */
function reporting<T extends { settings?: object }>(workflow: T, errorWorkflow: string): T {
	workflow.settings = { ...workflow.settings, errorWorkflow };
	return workflow;
}

/** The errors that ended these executions. */
export function messages(executions: Execution[]): string {
	return executions.map(({ error }) => String(error?.message)).join('\n');
}
