/**
 * The numbers of docs/scaling.md and of other pages follow from the benchmarks, the nodes, the
 * workflows and each other.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';

import { readWorkflow } from '../../harness/workflows.mts';
import { ROOT } from './pages.mts';

const read = (path: string) => readFileSync(`${ROOT}/${path}`, 'utf8');
const page = read('docs/scaling.md');
const benchmarks = read('docs/development/benchmarks.md');

interface Shown {
	displayName: string;
	default?: unknown;
	options?: Shown[];
}
const trigger = createRequire(import.meta.url)(
	`${ROOT}/dist/nodes/VoiceAgentRecordingTrigger/VoiceAgentRecordingTrigger.node.js`,
) as { VoiceAgentRecordingTrigger: new () => { description: { properties: Shown[] } } };
/** Of the Recording Trigger, by label. */
const defaults = Object.fromEntries(
	Object.values(trigger)
		.flatMap((Type) => new Type().description.properties)
		.flatMap((field) => [field, ...(field.options ?? [])])
		.map((field) => [field.displayName, field.default]),
);

/** The numbers of the rows of a table, by the beginning of its head. */
function rowsOf(head: string, text = page): string[][] {
	const lines = text.split('\n');
	const start = lines.findIndex((line) => line.startsWith(`| ${head} `));
	assert.ok(start >= 0, head);
	const end = lines.findIndex((line, index) => index > start && line === '');
	return lines.slice(start + 2, end).map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
}

const number = (cell = '') => Number(/[\d.,]+/.exec(cell)?.[0].replaceAll(',', ''));
const rounded = (value: number) => Number(value.toPrecision(2));

test('cores, storage and bandwidth follow from the measured figures', () => {
	const measured = new Map(rowsOf('One recording takes').map(([what, value]) => [what, value]));
	const figure = (what: string) => number(measured.get(what));
	const megabytes = figure('Opus file of 5 minutes');
	const rows = rowsOf('Recordings a day');
	assert.equal(rows.length, 5);
	for (const row of rows) {
		const perDay = number(row[0]);
		const perSecond = (perDay * 0.15) / 3_600;
		const cores = (what: string) => rounded((perSecond * figure(what)) / 1_000 / 0.5);
		assert.deepEqual(row.map(number), [
			perDay,
			rounded(perSecond),
			cores('CPU time of a worker'),
			cores('CPU time of the webhook process'),
			cores('CPU time of PostgreSQL'),
			cores('CPU time of Redis'),
			rounded((perDay * megabytes) / 1_000),
			rounded(perSecond * megabytes * 8),
		]);
	}
});

test('the measured figures are the highest of the benchmarks', () => {
	const rows = rowsOf('Workers', benchmarks);
	const highest = (column: number) => Math.max(...rows.map((row) => number(row[column])));
	const measured = rowsOf('One recording takes').map(([, value]) => number(value));
	assert.deepEqual(measured.slice(0, 5), [6, 5, 7, 8, 9].map(highest));
	const [largest = []] = rowsOf('Recordings', benchmarks).filter(([what]) => what === '1 × 1 GiB');
	const perMegabyte = (number(largest[2]) * 1_000) / (2 ** 30 / 1e6);
	assert.match(page, new RegExp(`about ${Math.round(perMegabyte)} ms for each MB`));
});

test('the time of the pages is that of the benchmarks', () => {
	const rows = rowsOf('Calls', benchmarks);
	const time = (calls: string, step: string) =>
		rows.find(([first, second]) => first === calls && second === step)?.[2];
	const status = 'report-and-status, its page';
	const shown = rowsOf('100,000 calls in the ledger').map(([, , value]) => value);
	const found = time('100,000', 'find-a-call, by number');
	assert.deepEqual(shown, [time('100,000', status), 'not measured', found]);
	const [, after, of10k] =
		/takes (\d+ s) for two days.* read 10,000 rows took ([\d.]+ s)/.exec(page) ?? [];
	assert.deepEqual([after, of10k], [time('100,000', status), time('10,000', status)]);
});

test('the limits are those of the workflows and of the Recording Trigger', () => {
	const workflow = (name: string) => JSON.stringify(readWorkflow(name));
	const perHour =
		(Number(defaults['Max per Check']) * 60) / Number(defaults['Minutes Between Checks']);
	const [, never] = /"limit":(\d+)/.exec(workflow('verify-archive')) ?? [];
	const [, minutes] = /"minutesInterval":(\d+)/.exec(workflow('transcribe-and-file')) ?? [];
	const [, first] = /"Take the first (\d+)"/.exec(workflow('transcribe-and-file')) ?? [];
	const rows = `${Math.floor((200 * 2 ** 20) / 500 / 1_000)},000 rows`;
	const sweep = `${perHour} an hour, ${(perHour * 24).toLocaleString('en')} a day`;
	const transcripts = `${(Number(first) * 24 * 60) / Number(minutes)} a day`;
	assert.deepEqual(
		rowsOf('Workflow').map(([, limit]) => limit),
		[sweep, `${never} new ones a night`, transcripts, `about ${rows} in 200 MiB`],
	);
	const catalog = read('workflows/README.md') + read('examples/README.md');
	for (const cell of [sweep, `${Number(never) * 2} files a night`, transcripts, `About ${rows}`]) {
		assert.ok(catalog.includes(`| ${cell} `), cell);
	}
});

test('a sweep lists as often as its interval says', () => {
	const lists = `${(24 * 60) / Number(defaults['Minutes Between Checks'])} lists a day`;
	for (const name of ['sweep-before-purge', 'rescue-before-purge']) {
		const [, requests = ''] = rowsOf('What').find(([what]) => what === name) ?? [];
		assert.ok(requests.startsWith(lists), name);
		const { minutesBetweenChecks } = Object.assign(
			{},
			...readWorkflow(name)
				.nodes.filter(({ type }) => type.endsWith('.voiceAgentRecordingTrigger'))
				.map(({ parameters }) => parameters),
		) as { minutesBetweenChecks?: number };
		assert.equal(minutesBetweenChecks, undefined);
	}
});

test('the defaults of the Recording Trigger are those of the reference', () => {
	const rows = rowsOf(
		'Option',
		read('docs/reference.md').split('## VoiceAgent Recording Trigger')[1],
	);
	for (const [option = '', value] of rows.filter(([, one]) => one !== '–')) {
		assert.equal(String(defaults[option.replaceAll('*', '')]), value, option);
	}
});

test('the growth of n8n for 1 GiB is that of the benchmarks', () => {
	const [, fresh] = /^\| 1 × 1 GiB \| Download,.* fresh (\d+) MB/m.exec(benchmarks) ?? [];
	const about = Math.round(Number(fresh) / 10) * 10;
	for (const path of ['README.md', 'docs/scaling.md']) {
		assert.match(read(path), new RegExp(`about ${about} MB`));
	}
});
