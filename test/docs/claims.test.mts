/** What pages say about the product is what its code, its workflows and each other say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix, relative } from 'node:path';
import { suite, test } from 'node:test';

import type { WorkflowNode } from '../../harness/n8n/n8n.mts';
import { readWorkflow, workflowFile, workflowNames } from '../../harness/workflows.mts';
import { anchors, readPages, repositoryFiles, ROOT } from './pages.mts';

const require = createRequire(import.meta.url);
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { errorTexts } = require('../../dist/nodes/errorTexts.js') as {
	errorTexts: Record<string, [message: string, description: string]>;
};

interface Field {
	name: string;
	options?: { name: string; value: string }[];
	displayOptions?: { show?: { resource?: string[] } };
}
type Shown = { description: { displayName: string; properties: Field[] } };

function descriptionOf(name: string): Shown['description'] {
	const exported = require(`../../dist/nodes/${name}/${name}.node.js`) as Record<
		string,
		new () => Shown
	>;
	const [Type = assert.fail()] = Object.values(exported);
	return new Type().description;
}

/** The cells of each row of the table that begins with these words. */
function rowsOf(page: string, head: string): string[][] {
	const lines = read(page).split('\n');
	const start = lines.findIndex((line) => line.startsWith(`| ${head} `));
	assert.ok(start >= 0, `${page} has no table ${head}`);
	const rest = lines.slice(start + 2);
	return rest
		.slice(
			0,
			rest.findIndex((line) => !line.startsWith('|')),
		)
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
}

suite('the README', () => {
	test('lists each operation of the node, and no other', () => {
		const { properties } = descriptionOf('VoiceAgent');
		const resources = properties.find(({ name }) => name === 'resource')?.options ?? [];
		const operations = resources.flatMap(({ name, value }) =>
			properties
				.filter((field) => field.name === 'operation')
				.filter(({ displayOptions }) => displayOptions?.show?.resource?.includes(value))
				.flatMap(({ options = [] }) => options.map((one) => `${name}: ${one.name}`)),
		);
		const listed = rowsOf('README.md', 'Resource').map(([a, b]) => `${a}: ${b}`);
		assert.ok(listed.length > 10);
		assert.deepEqual(listed.toSorted(), operations.toSorted());
	});

	test('lists both triggers', () => {
		const triggers = ['VoiceAgentTrigger', 'VoiceAgentRecordingTrigger'].map(
			(name) => descriptionOf(name).displayName,
		);
		assert.deepEqual(
			rowsOf('README.md', 'Trigger').map(([name]) => name),
			triggers,
		);
	});

	test('leads to each workflow and example', () => {
		const cells = rowsOf('README.md', 'You want to').map(([, links = '']) => links);
		const linked = cells.flatMap((cell) => [
			...cell.matchAll(/\[([\w-]+)\]\((\w+)\/README\.md#\1\)/g),
		]);
		const files = linked.map(([, name, folder]) => `${folder}/${name}.json`);
		const existing = workflowNames.map((name) => relative(ROOT, workflowFile(name)));
		assert.deepEqual(files.toSorted(), existing.toSorted());
	});
});

suite('the index', () => {
	const others = [
		'CONTRIBUTING.md',
		'SECURITY.md',
		'emulator/FAULTS.md',
		'emulator/README.md',
		'examples/README.md',
		'file-decryptor/README.md',
		'test/FAULTS.md',
		'test/README.md',
		'workflows/README.md',
	];
	const pages = [...repositoryFiles().filter((path) => /^docs\/.*\.md$/.test(path)), ...others];
	for (const path of pages.filter((one) => one !== 'docs/README.md')) {
		test(`has a line for ${path}`, () => {
			const lines = read('docs/README.md').split('\n');
			const link = `](${posix.relative('docs', path)})`;
			assert.equal(lines.filter((line) => line.startsWith('- ') && line.includes(link)).length, 1);
		});
	}

	for (const { path, text } of readPages(pages)) {
		test(`${path} begins with who it is for`, () => {
			const [, first = ''] = text.split(/\n{2,}/);
			assert.match(first, /^For [^.:]+[.:]/);
		});
	}
});

suite('how long it takes', () => {
	const takes = new Map(
		rowsOf('CONTRIBUTING.md', 'What').map(([what = '', time = '']) => [what, time]),
	);
	const minutes = (what: string) => Number(/^(\d+) minutes?$/.exec(takes.get(what) ?? '')?.[1]);
	const disk = rowsOf('CONTRIBUTING.md', 'What')[0]?.[2] ?? '';
	const quoted: Array<[page: string, sentence: RegExp, what: string]> = [
		['README.md', /in \[(\d+) minutes\]\(CONTRIBUTING\.md#how-long-it-takes\)/, 'Set-up, once'],
		['test/README.md', /Setting it up takes (\d+) minutes more/, 'Set-up, once'],
		['test/README.md', /runs everything, in about \[(\d+) minutes\]/, '`npm test`'],
		['test/README.md', /need no server, in about (\d+) minutes/, '`npm run test:quick`'],
	];
	for (const [page, sentence, what] of quoted) {
		test(`${page} quotes the table: ${sentence.source}`, () => {
			assert.equal(Number(sentence.exec(read(page))?.[1]), minutes(what));
		});
	}

	test('and how much disk', () => {
		const [all, cached] = disk.match(/[\d.]+(?= GB)/g) ?? [];
		assert.match(
			read('README.md'),
			new RegExp(`installs ${all} GB .* npm caches ${cached} GB more`),
		);
	});

	test('is said nowhere else', () => {
		const known = new Map([
			['README.md', 1],
			['CONTRIBUTING.md', 4],
			['test/README.md', 3],
		]);
		for (const { path, text } of readPages(repositoryFiles())) {
			const found =
				text.match(/^.*(?:npm (?:start|test)\b|[Ss]et-?up\b|Setting it up).*\b\d+ minutes?.*$/gm) ??
				[];
			const times = found.flatMap((line) => line.match(/\b\d+ minutes?\b/g) ?? []).length;
			assert.ok(times <= (known.get(path) ?? 0), `${path}: ${found.join('\n')}`);
		}
	});
});

suite('errors', () => {
	test('that pages name by their reason exist', () => {
		const page = read('docs/troubleshooting.md');
		const reasons = [...page.matchAll(/^\| \[`(\w+)`\]\(errors\.md#(\w+)\)/gm)];
		assert.ok(reasons.length > 15);
		for (const [, reason = '', anchor] of reasons) {
			assert.ok(reason in errorTexts, reason);
			assert.equal(anchor, reason.toLowerCase());
		}
	});

	test('that pages quote have these words', () => {
		const messages = Object.values(errorTexts).map(([message]) => message);
		const quoted = rowsOf('docs/troubleshooting.md', 'What you see')
			.map(([seen = '']) => seen)
			.filter((seen) => seen.startsWith('The '));
		assert.ok(quoted.length >= 4);
		for (const seen of quoted) {
			const words = seen.replace(/ \(\d+\)$/, '');
			assert.ok(
				messages.some((message) => message.startsWith(words)),
				seen,
			);
		}
		const [, inForm = ''] =
			/Download fails with "([^"]+)"/.exec(read('.github/ISSUE_TEMPLATE/bug.yml')) ?? [];
		assert.ok(messages.includes(inForm), inForm);
	});

	test('of the upload have the remedies of failure-notice', () => {
		const help = JSON.stringify(readWorkflow('failure-notice'));
		const rows = rowsOf('docs/troubleshooting.md', 'What n8n says');
		assert.ok(rows.length > 7);
		for (const [said = ''] of rows) {
			const parts = said
				.split(/, | \(|\)/)
				.filter((part) => part !== '' && part !== 'Google Drive');
			for (const part of parts) assert.ok(help.includes(part), part);
		}
	});
});

test('troubleshooting lists each of its symptoms at its top', () => {
	const [page = assert.fail()] = readPages(['docs/troubleshooting.md']);
	const [top = ''] = page.text.split('\n## ');
	const headings = [...page.text.matchAll(/^## .*$/gm)].length;
	const linked = anchors(page).filter((anchor) => top.includes(`(#${anchor})`));
	assert.equal(linked.length, headings);
});

test('the address that an assistant gets over MCP is that of the example', () => {
	const isTrigger = ({ type }: WorkflowNode) => type.endsWith('.mcpTrigger');
	const trigger = readWorkflow('calls-over-mcp').nodes.find(isTrigger);
	const { parameters } = trigger ?? assert.fail('calls-over-mcp has no MCP trigger');
	const [shown = ''] = /https:\/\/n8n\.example\.com\/mcp\/[\w-]+/.exec(read('docs/calls.md')) ?? [];
	assert.equal(shown, `https://n8n.example.com/mcp/${String(parameters.path)}`);
	assert.equal(parameters.authentication, 'bearerAuth');
});

test('the minutes of WAV and Opus that are transcribed follow from limit and bit rate', () => {
	const text = JSON.stringify(readWorkflow('transcribe-and-file'));
	const [, limit] = /"keyName":"bytes","condition":"lte","keyValue":"(\d+)"/.exec(text) ?? [];
	const perMinute = new Map(
		rowsOf('docs/scaling.md', 'Format').map(([format, , mb]) => [format, Number(mb)]),
	);
	const length = (format: string) => Number(limit) / 1e6 / Number(perMinute.get(format));
	const [, megabytes, wav, opus] =
		/above (\d+) MB is left out\. That is about (\d+) minutes of WAV, or (\d+) minutes of Opus/.exec(
			read('examples/README.md'),
		) ?? [];
	assert.equal(Number(megabytes), Number(limit) / 1e6);
	assert.equal(Number(wav), Math.floor(length('WAV')));
	assert.equal(Number(opus), Math.floor(length('Opus') / 10) * 10);
});
