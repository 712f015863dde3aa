/** The numbers of docs/scaling.md follow from the benchmarks, from the workflows and from each other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { readWorkflow } from '../../harness/workflows.mts';
import { ROOT } from './pages.mts';

const page = readFileSync(`${ROOT}/docs/scaling.md`, 'utf8');
const benchmarks = readFileSync(`${ROOT}/docs/development/benchmarks.md`, 'utf8');

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

test('the limits are those of the workflows and of the Recording Trigger', () => {
	const workflow = (name: string) => JSON.stringify(readWorkflow(name));
	const fields = readFileSync(`${ROOT}/nodes/VoiceAgentRecordingTrigger/settings.ts`, 'utf8');
	const initially = (name: string) =>
		Number(new RegExp(`name: '${name}'[^]{0,150}?default: (\\d+)`).exec(fields)?.[1]);
	const perHour = (initially('mostPerCheck') * 60) / initially('minutesBetweenChecks');
	const [, never] = /"limit":(\d+)/.exec(workflow('verify-archive')) ?? [];
	const [, minutes] = /"minutesInterval":(\d+)/.exec(workflow('transcribe-and-file')) ?? [];
	const [, first] = /"Take the first (\d+)"/.exec(workflow('transcribe-and-file')) ?? [];
	const limits = rowsOf('Workflow').map(([, limit]) => limit);
	assert.deepEqual(limits, [
		`${perHour} an hour, ${(perHour * 24).toLocaleString('en')} a day`,
		`${never} new ones a night`,
		`${(Number(first) * 24 * 60) / Number(minutes)} a day`,
		`about ${Math.floor((200 * 2 ** 20) / 500 / 1_000)},000 rows in 200 MiB`,
	]);
});
