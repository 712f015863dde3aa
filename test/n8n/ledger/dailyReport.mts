/**
 * The report of report-and-status: what it says of a ledger and a list that the test has written,
 * and that it is never silent.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';

import { createLedger } from '../../../harness/ledger.mts';
import type { DataTable, N8n, Row, Workflow } from '../../../harness/n8n/n8n.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { until } from '../../../harness/until.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { localTime } from '../localTime.mts';
import { chatOf, deleteRecording, similarTable, succeeded } from '../suite.mts';

const HOUR = 3_600_000;
const POST = 'Post the report to your chat';
const NUMBER = '+4930901820';
/** In the zone of n8n, in its short form: Fri 27 Nov, 05:05. */
const TIME = /\w{3} \d{1,2} \w{3}, \d\d:\d\d/g;

export function dailyReportSuite(getN8n: () => N8n): void {
	suite('workflow: report-and-status, the report', { concurrency: 1 }, () => {
		const chat = chatOf();
		let stack: Stack;
		let ledger: DataTable;
		let workflowId: string;
		// A list and a ledger of its own for each test.
		beforeEach(async () => {
			stack = await addService(getN8n());
			ledger = await createLedger(getN8n());
		});
		afterEach(async () => {
			await stack.stop();
			await ledger.remove();
		});

		async function setUp(pingUrl = '', change = (_workflow: Workflow): void => {}): Promise<void> {
			const workflow = readWorkflow('report-and-status');
			nodeOf(workflow, POST).parameters.url = chat.url;
			const ping = nodeOf(workflow, "Ping the dead man's switch");
			Object.assign(ping, { disabled: pingUrl === '' }).parameters.url = pingUrl;
			change(workflow);
			workflowId = await stack.n8n.importWorkflow(workflow, stack.credentials);
		}

		/** Runs the report, and returns it as it was sent. */
		async function report(): Promise<{ text: string; html: string; lines: string[] }> {
			const sent = chat.messages.length;
			const run = await stack.n8n.run(workflowId, { trigger: 'Every morning' });
			const [item] = succeeded(run).items('Write the report');
			assert.equal(chat.messages.length, sent + 1);
			const text = String(chat.messages.at(-1));
			assert.equal(item?.json.text, text);
			return {
				text,
				html: String(item.json.html),
				lines: text.replaceAll(TIME, 'TIME').split('\n'),
			};
		}

		const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();
		const enter = async (...rows: Row[]) =>
			await ledger.insert(
				...rows.map((row) => ({ recordingKey: String(row.sessionGuid).toLowerCase(), ...row })),
			);
		/** A row of a call that started that many hours ago, and that was to be recorded. */
		const told = (sessionGuid: string, hours: number): Row => {
			return { sessionGuid, startedAt: hoursAgo(hours), recordingRequested: true };
		};
		const archived = (sessionGuid: string, hours: number): Row => {
			return { sessionGuid, archivedAt: hoursAgo(hours) };
		};
		/** A recording whose call ended that many hours ago. */
		const kept = async (hours: number) => {
			const recording = { endedAt: hoursAgo(hours), to: NUMBER };
			return (await stack.emulator.control.addRecording(recording)).sessionGuid;
		};

		test('if nothing happened, there is a sign of life, and a ping', async () => {
			await setUp(chat.pingUrl);
			const { lines } = await report();
			assert.deepEqual(lines.slice(0, -1), [
				'*VoiceAgent recordings: all is well*',
				'Calls in the last 24 hours: 0',
				'Recordings archived in the last 24 hours: 0',
				'Recordings rescued in the last 24 hours: 0',
				'Recordings waiting at the service: 0',
				'Newest archived recording: none in the last 9 days',
			]);
			assert.equal(chat.pings(), 1);
		});

		test("n8n's default time zone is named, another one is not", async () => {
			await setUp();
			const { lines } = await report();
			assert.match(String(lines.at(-1)), /^Times are in America\/New_York, n8n's default\. If/);
			await setUp('', (workflow) => {
				workflow.settings = { ...workflow.settings, timezone: 'Europe/Berlin' };
			});
			const { text } = await report();
			assert.doesNotMatch(text, /Times are in/);
		});

		test('a day on which all went well is no alarm', async () => {
			await setUp();
			const rescued = { rescuedAt: hoursAgo(30) };
			await enter(
				{ sessionGuid: 'call-1', endedAt: hoursAgo(3.5), archivedAt: hoursAgo(3.5) },
				{ sessionGuid: 'call-2', endedAt: hoursAgo(30), archivedAt: hoursAgo(30) },
				// Rescued and opened, so neither lost nor unseen.
				{ ...archived('call-3', 25), ...rescued, endedAt: hoursAgo(130), lostAt: hoursAgo(9) },
				// Not to be recorded.
				{ sessionGuid: 'call-4', startedAt: hoursAgo(20), recordingRequested: false },
				// Stored, and deleted at the service when n8n was killed: verify-archive looks at it.
				{ ...told('call-6', 20), sha256: 'ab' },
				// May still be going on.
				told('call-5', 1),
			);
			await kept(2);
			const stored = (await kept(150.5)).toLowerCase();
			await enter({ ...archived(stored, 150), kept: true });
			const pings = chat.pings();
			const { lines } = await report();
			assert.deepEqual(lines.slice(0, -1), [
				'*VoiceAgent recordings: all is well*',
				// The call that has ended, those that were told to record, and those that have waited.
				'Calls in the last 24 hours: 5',
				'Recordings archived in the last 24 hours: 1',
				'Recordings rescued in the last 24 hours: 0',
				'Recordings waiting at the service: 1',
				'Archived recordings that are kept at the service: 1',
				'Newest archived recording: TIME',
			]);
			assert.equal(chat.pings(), pings, 'a ping without an address');
		});

		test('data tables that n8n may take for the ledger are named', async (t) => {
			await setUp();
			const names = ['VoiceAgent calls (old)', 'my VOICEAGENT DAYS', 'VoiceAgent call lists'];
			for (const name of names) await similarTable(t, stack.n8n, name, { updatedOn: 'string' });
			await enter({ sessionGuid: 'call-1', endedAt: hoursAgo(1), archivedAt: hoursAgo(1) });
			const [title, list, ...lines] = (await report()).text.split('\n');
			assert.equal(title, '*VoiceAgent recordings: ALARM, 2 to look at*');
			assert.equal(list, 'Data tables to rename, because n8n may take them for others: 2');
			assert.deepEqual(lines.slice(0, 2).sort(), [
				'- VoiceAgent calls (old)',
				'- my VOICEAGENT DAYS',
			]);
			assert.equal(lines[3], 'Recordings archived in the last 24 hours: 1', 'it reads the ledger');
		});

		test('what is at risk comes first, the most urgent before the others', async () => {
			await setUp();
			const second = await kept(140.5);
			const waiting = await kept(50);
			const first = await kept(163.5);
			await enter({ sessionGuid: first, attempts: 2, lastError: 'The password is <wrong>' });
			const { text, html, lines } = await report();
			const tried = 'purged in 4 hours, 2 failed attempts';
			assert.deepEqual(lines.slice(0, 6), [
				'*VoiceAgent recordings: ALARM, 3 to look at*',
				'Purged within 48 hours: 2',
				`- ${NUMBER}, TIME: ${tried} (call ${first}). The password is <wrong>`,
				`- ${NUMBER}, TIME: purged in 27 hours (call ${second})`,
				'Waiting for more than a day: 1',
				`- ${NUMBER}, TIME: kept until TIME (call ${waiting})`,
			]);
			const [head, , table] = html.split('\n');
			assert.equal(head, '<h2>VoiceAgent recordings: ALARM, 3 to look at</h2>');
			assert.ok(table?.startsWith('<tr><td>Purged within 48 hours</td><td>2</td><td>'), table);
			assert.ok(!html.includes('<wrong>'), 'text of others is HTML');
			const { endedAt } = stack.ledger(waiting);
			const purgedAt = Date.parse(endedAt) + 168 * HOUR;
			assert.ok(text.includes(`${localTime(endedAt)}: kept until ${localTime(purgedAt)} (`), text);
		});

		test('calls that failed for the same reason are named together', async () => {
			await setUp();
			const folder = 'The folder does not exist';
			const same = [await kept(3), await kept(2), await kept(1)];
			const other = await kept(4);
			await enter(...same.map((sessionGuid) => ({ sessionGuid, lastError: folder })), {
				sessionGuid: other,
				lastError: 'No space left',
			});
			const { lines } = await report();
			const line = (sessionGuid: string) =>
				`${NUMBER}, TIME: kept until TIME (call ${sessionGuid})`;
			assert.deepEqual(lines.slice(1, 7), [
				'Failed, and tried again: 4',
				`- ${line(other)}. No space left`,
				`- 3 calls: ${folder}`,
				...same.map((sessionGuid) => `   - ${line(sessionGuid)}`),
			]);
		});

		test('what was rescued is no alarm, but named until it is archived', async () => {
			await setUp();
			const rescued = await kept(150.5);
			const opened = await kept(151);
			const atRisk = await kept(152.5);
			const lastError = 'wrong password';
			await enter(
				{ sessionGuid: rescued.toLowerCase(), rescuedAt: hoursAgo(2.5), lastError },
				{ sessionGuid: opened.toLowerCase(), rescuedAt: hoursAgo(30), archivedAt: hoursAgo(1.5) },
				{ sessionGuid: 'purged-1', rescuedAt: hoursAgo(50), lostAt: hoursAgo(1.5) },
				told('unseen-1', 150),
				{ sessionGuid: 'unseen-1', rescuedAt: hoursAgo(3.5) },
			);
			const first = await report();
			assert.deepEqual(first.lines.slice(0, 8), [
				'*VoiceAgent recordings: ALARM, 2 to look at*',
				'Purged within 48 hours: 2',
				`- ${NUMBER}, TIME: purged in 15 hours (call ${atRisk})`,
				`- ${NUMBER}, TIME: purged in 17 hours (call ${opened})`,
				'Rescued, but not archived yet: 3',
				`- ${NUMBER}, TIME: rescued 2 hours ago (call ${rescued}). wrong password`,
				'- rescued 2 days ago (call purged-1)',
				'- TIME: rescued 3 hours ago (call unseen-1)',
			]);
			for (const guid of [atRisk, opened]) await deleteRecording(stack, guid);
			const { text } = await report();
			assert.match(
				text,
				/^\*VoiceAgent recordings: no alarm, 3 rescued to archive\*\nRescued, but/,
			);
			assert.match(text, /Recordings rescued in the last 24 hours: 2\n/);
		});

		test('what was lost, is not whole, or was to be recorded and never seen is named', async () => {
			await setUp();
			const listed = await kept(20);
			const lastError = 'No space left';
			await enter(
				{ sessionGuid: 'lost-1', lostAt: hoursAgo(10.5) },
				// Purged while n8n was down, so no sweep has noticed.
				{ ...told('failed-1', 171), endedAt: hoursAgo(170), lastError },
				{ sessionGuid: listed.toUpperCase(), endedAt: hoursAgo(20), lastError },
				// Another execution may have archived and deleted it: the service would still keep it.
				{ ...told('failed-2', 167), endedAt: hoursAgo(166), lastError },
				told('unseen-1', 7.5),
				told(listed.toLowerCase(), 21),
				// Two concurrent executions have made two rows for one call.
				told('call-1', 20),
				{ sessionGuid: 'call-1', archivedAt: hoursAgo(19) },
				told('', 5.5),
				{ ...archived('call-2', 190), file: 'a.opus', verification: 'altered' },
				{ sessionGuid: 'call-3', file: 'b.opus', verification: 'whole', readError: 'refused' },
			);
			const { lines } = await report();
			assert.deepEqual(lines.slice(0, 13), [
				'*VoiceAgent recordings: ALARM, 7 to look at*',
				'Failed, and tried again: 1',
				`- ${NUMBER}, TIME: kept until TIME (call ${listed}). No space left`,
				'Lost: 2',
				'- noticed 10 hours ago (call lost-1)',
				'- TIME: no longer at the service (call failed-1). No space left',
				'Told to record, but no recording was seen: 1',
				'- TIME: started 7 hours ago (call unseen-1)',
				'Not whole in the archive: 2',
				'- a.opus is altered (call call-2)',
				'- b.opus is not readable (refused) (call call-3)',
				'Calls without a session GUID: 1',
				'- TIME: the last one started 5 hours ago',
			]);
		});

		test('records without a session GUID are an alarm', async () => {
			await setUp();
			const body = [{ to: '+4930123', endedAt: hoursAgo(163.5) }];
			const fault = { kind: 'status', status: 200, body } as const;
			stack.emulator.control.addFault({ match: {}, times: 'always', fault });
			const { text } = await report();
			assert.match(
				text,
				/ALARM, 1 to look at\*\nListed without a session GUID: 1\n- .*4930123.*"hoursLeft":4\.\d/,
			);
		});

		test('what is missing or was rescued is named for good, however long ago', async () => {
			await setUp('', (workflow) => {
				// Rows that were made more than 9 days ago: n8n sets the time itself.
				nodeOf(workflow, 'Get calls of the last days').parameters.limit = 1;
				nodeOf(workflow, 'Get calls of the last days').parameters.returnAll = false;
			});
			await enter(
				{ ...archived('call-0', 400), file: 'a', status: 'missing', verification: 'missing' },
				{
					sessionGuid: 'call-1',
					status: 'rescued',
					rescuedAt: hoursAgo(200),
					lostAt: hoursAgo(199),
				},
				{ ...archived('call-2', 9), rescuedAt: hoursAgo(9), cutCopies: 'a.opus (7)' },
			);
			const { lines } = await report();
			assert.deepEqual(lines.slice(0, 7), [
				'*VoiceAgent recordings: ALARM, 2 to look at*',
				'Not whole in the archive: 1',
				'- a is missing (call call-0)',
				'Rescued a week ago, but not archived: 1',
				'- rescued 8 days ago (call call-1)',
				'Cut copies to remove from the archive: 1',
				'- a.opus (7) (call call-2)',
			]);
		});

		test('a list without a known end of call is an alarm', async () => {
			await setUp();
			const sessionGuid = await kept(2);
			stack.emulator.control.setShapes({ recordDetail: 'guidOnly' });
			const { text } = await report();
			assert.match(text, /ALARM, 1 to look at/);
			const line = `- the list does not show when the call ended (call ${sessionGuid})`;
			assert.ok(text.includes(`Kept until an unknown time: 1\n${line}`), text);
		});

		test('of more than a page of rows, each lost recording is named, and the first of the others', async () => {
			await setUp();
			const rows = Array.from({ length: 2_100 }, (_, index) => ({
				sessionGuid: `call-${index}`,
				archivedAt: hoursAgo(12),
				...(index < 25 && { archivedAt: null, lostAt: hoursAgo(1.5) }),
				...(index >= 2_075 && { file: `${index}.wav`, verification: 'missing' }),
			}));
			await enter(...rows.slice(0, 1_050));
			await enter(...rows.slice(1_050));
			const { text } = await report();
			const lost = String.raw`Lost: 25\n(- noticed 1 hour ago \(call call-\d+\)\n){25}`;
			const missing = String.raw`(- \d+\.wav is missing \(call call-\d+\)\n){20}`;
			const lists = `${lost}Not whole in the archive: 25\n${missing}- and 5 more\n`;
			assert.match(text, new RegExp(String.raw`ALARM, 50 to look at\*\n${lists}`));
			assert.match(text, /Recordings archived in the last 24 hours: 2075/);
		});

		test('rows that are added and changed while the report is written do no harm', async () => {
			await setUp();
			const size = 1_000;
			const thousand = (from: number) =>
				Array.from({ length: size }, (_, index) => archived(`call-${from + index}`, 12));
			for (let from = 0; from < 3 * size; from += size) await enter(...thousand(from));
			let isOver = false;
			let added = 0;
			const busy = (async () => {
				for (; !isOver; added += 1) {
					await enter(archived(`new-${added}`, 1));
					await ledger.update({ column: 'recordingKey', value: `call-${added}` }, { bytes: added });
				}
			})();
			const whileItGrows = async () => {
				for (let index = 0; index < 2; index += 1) {
					const before = added;
					const { lines } = await report();
					assert.ok(added > before + 1, 'nothing was added meanwhile');
					assert.equal(lines[0], '*VoiceAgent recordings: all is well*');
					const [, count] = /archived in the last 24 hours: (\d+)/.exec(lines.join('\n')) ?? [];
					assert.ok(Number(count) >= 3 * size + before && Number(count) <= 3 * size + added, count);
				}
				// n8n itself refuses to read such a table.
				const workflow = readWorkflow('report-and-status');
				const read = nodeOf(workflow, 'Get calls of the last days');
				Object.assign(read, {
					retryOnFail: false,
					parameters: { ...read.parameters, filters: {} },
				});
				const id = await getN8n().importWorkflow(workflow, stack.credentials);
				const failed = async () => {
					const run = { trigger: 'Every morning', destination: read.name };
					return JSON.stringify((await getN8n().run(id, run)).items(read.name));
				};
				await until(
					async () => ((await failed()).includes('result count changed') ? true : undefined),
					() => 'The trap is gone: the workflow can be simpler.',
				);
			};
			try {
				await whileItGrows();
			} finally {
				isOver = true;
				await busy;
			}
		});

		test('if the service does not answer, the report says so, and the switch is not pinged', async () => {
			await setUp(chat.pingUrl);
			const fault = { kind: 'status', status: 401 } as const;
			stack.emulator.control.addFault({ match: {}, times: 'always', fault });
			await enter(told('unseen-1', 7.5));
			const pings = chat.pings();
			const { text } = await report();
			const [title, problem] = text.split('\n');
			assert.equal(title, '*VoiceAgent recordings: ALARM, 1 to look at*');
			const why = 'The service does not accept the API key';
			const said = `The recordings at the service could not be listed: ${why}`;
			assert.ok(problem?.startsWith(said), text);
			assert.match(text, /Recordings waiting at the service: unknown/);
			assert.ok(!text.includes('unseen-1'), 'nobody has looked whether it is at the service');
			assert.equal(chat.pings(), pings);
		});

		test('without a ledger, the report says so, and names what is at risk at the service', async () => {
			await setUp(chat.pingUrl);
			await ledger.remove();
			const atRisk = await kept(150.5);
			const pings = chat.pings();
			const { text } = await report();
			ledger = await createLedger(getN8n());
			const table = "Data table with ID 'VoiceAgent calls (execute create-ledger)'";
			const problem = `The ledger could not be read: ${table} could not be found`;
			assert.ok(text.includes(`ALARM, 2 to look at*\n${problem}`), text);
			assert.ok(text.includes(`purged in 17 hours (call ${atRisk})`), text);
			assert.match(text, /archived in the last 24 hours: unknown\n/);
			assert.equal(chat.pings(), pings);
		});
	});
}
