/**
 * The restore drill, by the commands of docs/restore.md: the machine of n8n is lost, and so is
 * all that was written since its backup. Afterwards each call is found, and no one is called twice.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { baseNode, inARow, manualTrigger, voiceAgent } from '../../harness/flow.mts';
import { entered, createLedger, LEDGER, rowOf } from '../../harness/ledger.mts';
import { installation } from '../../harness/n8n/installation.mts';
import { isolatedEnvironment } from '../../harness/n8n/environment.mts';
import { packedPackage, startN8n, type DataTable, type N8n } from '../../harness/n8n/n8n.mts';
import { pageWorkflow, VIEWER, viewerAuthorization } from '../../harness/pages.mts';
import { addService, PASSWORD, type Stack } from '../../harness/stack.mts';
import { missingServer, startPostgres } from '../../harness/standIns/servers.mts';
import { until } from '../../harness/until.mts';
import {
	archiveToFolder,
	nodeOf,
	readWorkflow,
	rebuildFromFolder,
	SWEEP_TRIGGER,
	sweepInto,
	verifyFolder,
	withLedger,
} from '../../harness/workflows.mts';
import { succeedsIn } from '../docs/shell.mts';
import { restorePage } from '../docs/restorePage.mts';
import { TABLE } from './calls/campaign.mts';
import { sendCallEndsTo } from './archived.mts';
import { succeeded } from './suite.mts';

type Database = keyof typeof restorePage.backUp;

const [CALLED, LATER, NEXT, OBJECTED] = ['+15550140', '+15550141', '+15550142', '+15550149'];
const WAITING = '+15550143';
/** n8n keeps a pause in its database from 65 seconds on. */
const PAUSE_MS = 70_000;

const missing = (program: string) =>
	spawnSync(program, ['--version']).error !== undefined && `missing here: ${program}`;

suite('the restore drill', { concurrency: 1 }, () => {
	test('SQLite', { skip: missing('sqlite3') }, async (t) => {
		await drill(t, 'sqlite', {});
	});

	const skip = missing('pg_dump') || missingServer('PostgreSQL');
	test('PostgreSQL', { skip }, async (t) => {
		const server = await startPostgres();
		t.after(async () => await server.stop());
		await server.query('CREATE DATABASE n8n');
		await drill(t, 'postgresdb', { ...server.env, DB_POSTGRESDB_DATABASE: 'n8n' }, async () => {
			await server.query('DROP DATABASE n8n');
		});
	});
});

async function drill(
	t: TestContext,
	database: Database,
	env: Record<string, string>,
	loseDatabase = async () => {},
): Promise<void> {
	const folderOf = async (name: string) => {
		const folder = await mkdtemp(join(tmpdir(), `voiceagent-restore-${name}-`));
		t.after(async () => await rm(folder, { recursive: true, force: true, maxRetries: 3 }));
		return folder;
	};
	const archive = await folderOf('archive');
	const packages = [packedPackage()];
	const options = { packages, allowedPaths: [archive], env };
	let home = await folderOf('home');
	let n8n = await startN8n({ ...options, userFolder: home });
	t.after(async () => await n8n.stop());
	const shell = async (commands: string) =>
		await succeedsIn(home, commands, { programs: programs(), env: shellEnv(home, env) });
	const stack = await addService(n8n, { callSpeed: 1000 });
	t.after(async () => await stack.stop());
	const { control } = stack.emulator;
	const dialed = () => control.calls().map(({ to }) => to);
	const archived: string[] = [];

	const ids = await setUp(stack, archive);
	await startCampaign(stack, ids.campaign);
	for (const to of ['+15550120', '+15550121', '+15550122'])
		archived.push(await archiveCall(stack, to));
	await until(() => dialed().length === 1);
	const pausedUntilMs = Date.now() + PAUSE_MS;
	const paused = await pauseBeforeCall(stack, pausedUntilMs);

	await shell(restorePage.backUp[database]);

	control.clearFaults();
	await until(() => dialed().length === 2);
	for (const to of ['+15550123', '+15550124']) archived.push(await archiveCall(stack, to));
	assert.deepEqual(dialed(), [CALLED, LATER]);

	await n8n.stop({ kill: true });
	const backup = join(home, 'n8n-backup');
	const endedAt = new Date(control.now() - 2 * 3_600_000).toISOString();
	const missed = await control.addRecording({ to: '+15550125', endedAt, password: PASSWORD });
	await loseDatabase();
	const lost = home;
	home = await folderOf('new-home');
	await cp(backup, join(home, 'n8n-backup'), { recursive: true });
	await rm(lost, { recursive: true, maxRetries: 3 });

	await shell(restorePage.restore[database]);
	await shell(restorePage.unpublish);
	// What was paused is due.
	await sleep(Math.max(0, pausedUntilMs - Date.now()));
	n8n = await startN8n({ ...options, userFolder: home });
	const restored: Stack = { ...stack, n8n };
	assert.equal((await n8n.execution(paused)).status, 'canceled');
	assert.deepEqual(await published(n8n), []);
	const ledger = (await n8n.dataTable(LEDGER)) as DataTable;
	const inLedger = async () =>
		(await ledger.rows()).filter(({ status }) => status === 'archived').length;
	assert.equal(await inLedger(), 3);

	const { json: report } = succeeded(
		await n8n.run(ids.rebuild, { trigger: 'When you execute it' }),
	).items('Report what was entered')[0] as { json: Record<string, unknown> };
	assert.deepEqual([report.added, report.same, report.problems], [2, 3, []]);

	await n8n.activate(ids.archive);
	succeeded(await n8n.run(ids.sweep, { trigger: SWEEP_TRIGGER, timeoutMs: 600_000 }));
	archived.push(missed.sessionGuid);
	for (const sessionGuid of archived) assert.equal(stack.ledger(sessionGuid).state, 'deleted');
	await rowOf(ledger, missed.sessionGuid, ({ status }) => status === 'archived');

	succeeded(await n8n.run(ids.verify, { trigger: 'Every night' }));
	const rows = (await ledger.rows()).map(entered);
	assert.deepEqual(
		rows.map(({ verification }) => verification),
		archived.map(() => 'whole'),
	);

	for (const id of [ids.sweep, ids.find, ids.status]) await n8n.activate(id);
	assert.match(await page(n8n, 'status'), /all is well/i);
	for (const sessionGuid of archived) {
		const call = await page(n8n, `find-a-call?call=${sessionGuid}`);
		assert.match(call, /<audio /, call);
	}

	await sendCallEndsTo(restored, ids.archive);
	archived.push(await archiveCall(restored, '+15550126'));
	assert.deepEqual(dialed(), [CALLED, LATER]);

	// The backup does not know of this call.
	const campaign = (await n8n.dataTable(TABLE)) as DataTable;
	const statuses = async () => (await campaign.rows()).map(({ status }) => status);
	const [first, second] = await statuses();
	assert.ok(first === 'called' && second !== 'called', `${first}, ${second}`);
	await campaign.update({ column: 'number', value: LATER }, { status: 'called' });
	await campaign.insert({ number: NEXT, zone: 'UTC' });
	await n8n.activate(ids.campaign);
	await until(async () => (await statuses())[2] === 'called');
	assert.deepEqual(dialed(), [CALLED, LATER, NEXT]);
}

/** Where a user's shell finds n8n. */
const programs = () => [dirname(process.execPath), join(installation, 'node_modules', '.bin')];

function shellEnv(home: string, env: Record<string, string>): Record<string, string> {
	const own = Object.entries(isolatedEnvironment()).filter(([name]) => name.startsWith('N8N_'));
	const { DB_POSTGRESDB_HOST: host, DB_POSTGRESDB_PORT: port } = env;
	const postgres = host && { PGHOST: host, PGPORT: String(port), PGUSER: 'postgres' };
	return { ...Object.fromEntries(own as [string, string][]), ...env, ...postgres, HOME: home };
}

/** Imports what an archive has. Published are the archive workflow and the sweep. */
async function setUp(stack: Stack, folder: string) {
	const { n8n, credentials } = stack;
	const viewer = { name: 'Viewer', type: 'httpBasicAuth', data: VIEWER };
	const all = { ...credentials, httpBasicAuth: await n8n.createCredential(viewer) };
	await createLedger(n8n);
	const load = async (workflow: Parameters<N8n['importWorkflow']>[0]) =>
		await n8n.importWorkflow(workflow, all);
	const archive = await load(withLedger(archiveToFolder(folder)));
	const ids = {
		archive,
		sweep: await load(sweepInto(archive)),
		rebuild: await load(rebuildFromFolder(folder)),
		verify: await load(verifyFolder()),
		find: await load(pageWorkflow('find-a-call')),
		status: await load(pageWorkflow('report-and-status')),
		campaign: await load(campaignWorkflow()),
	};
	await n8n.activate(ids.rebuild);
	await n8n.activate(archive);
	await n8n.activate(ids.sweep);
	await sendCallEndsTo(stack, archive);
	return ids;
}

function campaignWorkflow() {
	const workflow = readWorkflow('call-campaign');
	const { options } = nodeOf(workflow, 'Check the numbers').parameters;
	(options as { callingHours: string }).callingHours = '00:00-24:00';
	return workflow;
}

/** It calls one number. The service refuses the other one, which is called later. */
async function startCampaign({ n8n, emulator }: Stack, id: string): Promise<void> {
	succeeded(await n8n.run(id, { trigger: 'Every 20 seconds' }));
	const table = (await n8n.dataTable(TABLE)) as DataTable;
	await table.insert({ number: CALLED, zone: 'UTC' });
	await (await n8n.dataTable('VoiceAgent do not call'))?.insert({ number: OBJECTED });
	await n8n.activate(id);
	await until(async () => (await table.rows())[0]?.status === 'called');
	const fault = { kind: 'status', status: 429 } as const;
	emulator.control.addFault({ match: { endpoint: 'makeCall' }, times: 'always', fault });
	await table.insert({ number: LATER, zone: 'UTC' });
}

/** An execution that places a call after a pause. Returns its id once it waits. */
async function pauseBeforeCall({ n8n, credentials }: Stack, untilMs: number): Promise<string> {
	const dateTime = new Date(untilMs).toISOString();
	const call = { specifyBody: 'json', jsonBody: JSON.stringify({ to: WAITING }) };
	const workflow = inARow('A call after a pause', [
		manualTrigger(),
		baseNode('Pause', 'wait', 1.1, { resume: 'specificTime', dateTime }),
		voiceAgent({ resource: 'call', operation: 'make', ...call }),
	]);
	const workflowId = await n8n.importWorkflow(workflow, credentials);
	const path = `/rest/workflows/${workflowId}/run`;
	const start = { workflowId, triggerToStartFrom: { name: 'Start' } };
	const { executionId } = await n8n.rest<{ executionId: string }>('POST', path, start);
	await until(async () => {
		const { status } = await n8n.rest<{ status: string }>('GET', `/rest/executions/${executionId}`);
		return status === 'waiting';
	});
	return executionId;
}

async function archiveCall({ n8n, emulator }: Stack, to: string): Promise<string> {
	const { sessionGuid } = await emulator.control.addRecording({ to, password: PASSWORD });
	await emulator.control.sendCallEnd(sessionGuid);
	const ledger = (await n8n.dataTable(LEDGER)) as DataTable;
	await rowOf(ledger, sessionGuid, ({ deletedAt }) => Boolean(deletedAt));
	return sessionGuid;
}

async function published(n8n: N8n): Promise<string[]> {
	type Listed = { name: string; activeVersionId: string | null };
	const workflows = await n8n.rest<Listed[]>('GET', '/rest/workflows');
	assert.ok(workflows.length > 5);
	return workflows.filter((one) => one.activeVersionId).map(({ name }) => name);
}

async function page({ url }: N8n, path: string): Promise<string> {
	const authorization = viewerAuthorization();
	const headers = { authorization };
	return await (await fetch(`${url}/webhook/voiceagent/${path}`, { headers })).text();
}
