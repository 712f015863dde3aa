/** Every link of the documentation that stays in the repository leads somewhere. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { suite, test } from 'node:test';

import { renderErrorsPage } from '../../harness/errorsPage.mts';
import {
	anchors,
	blocks,
	isCommand,
	links,
	linksIn,
	readPages,
	repositoryFiles,
	ROOT,
	type Page,
} from './pages.mts';

const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
	repository: { url: string };
};
const REPOSITORY = repository.url.replace(/^git\+|\.git$/g, '');

const files = repositoryFiles();
const pages = readPages(files);
/** Folders too, because GitHub shows them. Not read from the disk, which may ignore case. */
const paths = new Set(files.flatMap((file) => [file, ...parents(file)]));

suite('the links of the documentation', () => {
	for (const page of pages) {
		test(`${page.path}: its links lead somewhere`, () => {
			const broken = links(page).flatMap((link) => problemOf(link, page.path) ?? []);
			assert.deepEqual(broken, [], broken.join('\n'));
		});
	}

	// n8n shows notes and help links outside the repository, so these links must be complete.
	const others = files.filter((file) =>
		/^(?:workflows|examples|nodes|credentials)\/.*\.(?:json|ts)$|(?:^|\/)package\.json$/.test(file),
	);
	for (const file of others) {
		const text = readFileSync(join(ROOT, file), 'utf8');
		const complete = [...text.matchAll(/https:\/\/github\.com\/[^\s"'`)\\]+/g)].map(([url]) => url);
		const inNotes = /^(?:workflows|examples)\//.test(file) ? linksIn(notesOf(text)) : [];
		const found = [...new Set([...complete, ...inNotes])].filter((link) => !isElsewhere(link));
		if (found.length === 0) continue;
		test(`${file}: its links lead somewhere`, () => {
			const broken = found.flatMap((link) =>
				link.startsWith(REPOSITORY)
					? (problemOf(link, file) ?? [])
					: [`${link}: n8n needs a complete address`],
			);
			assert.deepEqual(broken, [], broken.join('\n'));
		});
	}
});

suite('the pages', () => {
	test('the list of errors has the texts that the nodes use', () => {
		// Written by: node harness/errorsPage.mts
		const [path, text] = renderErrorsPage();
		assert.equal(readFileSync(path, 'utf8'), text);
	});

	for (const page of pages) {
		const all = blocks(page);
		if (all.length === 0) continue;
		test(`${page.path}: blocks name their language, and commands are in shell blocks`, () => {
			assert.deepEqual(
				all.filter(({ language }) => language === ''),
				[],
			);
			// A job of GitHub Actions runs as a whole: test/package/emulator.test.mts.
			const hidden = all
				.filter(({ language, code }) => language !== 'shell' && !/^jobs:$/m.test(code))
				.flatMap(({ code }) => code.split('\n').filter((line) => isCommand(line.trim())));
			assert.deepEqual(hidden, []);
		});
	}
});

/** @returns one line if a link into the repository leads nowhere; otherwise nothing */
function problemOf(link: string, from: string): string | undefined {
	if (isElsewhere(link)) return undefined;
	const [address = '', anchor = ''] = decodeURIComponent(
		link.startsWith(REPOSITORY) ? inRepository(link) : link,
	).split('#', 2);
	const folder = link.startsWith(REPOSITORY) ? '.' : posix.dirname(from);
	const target = address.startsWith('/') ? address.slice(1) : posix.join(folder, address);
	const path = address === '' ? from : target.replace(/\/$/, '');
	if (!paths.has(path)) return `${link}: there is no ${path}`;
	if (anchor === '') return undefined;
	const page = pages.find((one) => one.path === (path === '.' ? 'README.md' : path));
	const readme = pages.find((one) => one.path === `${path}/README.md`);
	const shown = page ?? readme;
	if (shown === undefined) return `${link}: ${path} has no headings`;
	return anchorsOf(shown).has(anchor) ? undefined : `${link}: ${shown.path} has no #${anchor}`;
}

/** The path and the anchor in an address on GitHub. */
function inRepository(url: string): string {
	const { pathname, hash } = new URL(url);
	const path = pathname.slice(new URL(REPOSITORY).pathname.length);
	// Pages of GitHub itself, such as issues, are not files.
	if (/^\/(?:issues|security|pull|releases|actions|discussions)\b/.test(path)) return '.';
	const inFiles = path.replace(/^\.git$/, '').replace(/^\/(?:blob|tree|raw)\/main(?:\/|$)/, '');
	// GitHub's own name for the README that it shows below the files.
	const anchor = hash === '#readme' ? '' : hash;
	return (inFiles === '' || inFiles === '/' ? '.' : inFiles) + anchor;
}

function isElsewhere(link: string): boolean {
	return /^[a-z][a-z\d+.-]*:/i.test(link) && !isOwn(link);
}

function isOwn(link: string): boolean {
	return link.startsWith(REPOSITORY) && /^(?:$|[/?#]|\.git$)/.test(link.slice(REPOSITORY.length));
}

function anchorsOf(page: Page): Set<string> {
	const named = [...page.text.matchAll(/<[^>]+\b(?:id|name)="([^"]+)"/g)].map(
		([, name = '']) => name,
	);
	return new Set([...anchors(page), ...named]);
}

function parents(file: string): string[] {
	const folder = posix.dirname(file);
	return folder === '.' ? ['.'] : [folder, ...parents(folder)];
}

/** The texts of the sticky notes of a workflow. */
function notesOf(workflow: string): string {
	const { nodes = [] } = JSON.parse(workflow) as {
		nodes?: { type: string; parameters: { content?: string } }[];
	};
	return nodes
		.filter(({ type }) => type === 'n8n-nodes-base.stickyNote')
		.map(({ parameters }) => parameters.content ?? '')
		.join('\n\n');
}
