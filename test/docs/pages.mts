/** The pages of the documentation, and what a reader finds in them: commands, examples, links. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export { repositoryFiles } from '../../scripts/repositoryFiles.mjs';

export const ROOT = join(import.meta.dirname, '../..');

/** What a command begins with, after variables that are set for it alone. */
const COMMAND =
	/^(?:[A-Z_][A-Z0-9_]*=(?:"[^"]*"|'[^']*'|\S*) +)*(?:npm|npx|node|curl|FileDecryptor|file-decryptor) +\S/;

export interface Page {
	/** From the root, with slashes. */
	path: string;
	text: string;
}

export interface Block {
	/** The word after the fence: `shell`, `ts`, or nothing. */
	language: string;
	/** Without the indentation that a list adds. */
	code: string;
}

export interface Command {
	page: string;
	/** Exactly as it stands in the page. */
	text: string;
	/** Where a reader of the page runs it, from the root. */
	folder: string;
}

export function readPages(files: readonly string[]): Page[] {
	return files
		.filter((path) => path.endsWith('.md'))
		.sort()
		.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*(\S*)[^\n]*\n(.*?)^[ \t]*\2[ \t]*$/gms;

export function blocks({ text }: Page): Block[] {
	return [...text.matchAll(FENCE)].map(([, indent = '', , language = '', code = '']) => ({
		language,
		code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trimEnd(),
	}));
}

/** The page without its fenced blocks. */
export function prose({ text }: Page): string {
	return text.replaceAll(FENCE, '');
}

/** Of what a reader reads, without its blocks and the targets of links. */
export function wordsOf(page: Page): number {
	const text = prose(page)
		.replaceAll(/<[^>]+>/g, '')
		.replaceAll(/\]\([^)]*\)/g, ']');
	return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

const INLINE_CODE = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/gs;

/** Each command once: the `shell` blocks, and what stands in the text and in tables as code. */
export function commands(page: Page): Command[] {
	const fromBlocks = blocks(page)
		.filter(({ language }) => language === 'shell')
		.map(({ code }) => code);
	const inText = [...prose(page).matchAll(INLINE_CODE)]
		// In a table, a pipe has to be written as \|.
		.map(([, , code = '']) => code.replaceAll('\n', ' ').replaceAll('\\|', '|').trim())
		.filter((code) => isCommand(code));
	return [...new Set([...fromBlocks, ...inText])].map((text) => ({
		page: page.path,
		text,
		folder: folderOf(page.path, text),
	}));
}

export function isCommand(line: string): boolean {
	return COMMAND.test(line);
}

/**
 * A reader of a package's README is in the folder of the package. A block that begins with `cd`
 * starts in the root.
 */
function folderOf(page: string, text: string): string {
	const [folder = ''] = page.split('/', 1);
	const isPackage = existsSync(join(ROOT, folder, 'package.json'));
	return isPackage && !text.startsWith('cd ') ? folder : '.';
}

/** The anchors that GitHub gives to the headings. */
export function anchors(page: Page): string[] {
	const seen = new Map<string, number>();
	return [...prose(page).matchAll(/^#{1,6}[ \t]+(.*?)[ \t]*#*$/gm)].map(([, text = '']) => {
		const slug = slugOf(text);
		const before = seen.get(slug) ?? 0;
		seen.set(slug, before + 1);
		return before === 0 ? slug : `${slug}-${before}`;
	});
}

/**
 * GitHub makes it from the text that a reader sees: in lower case, without punctuation, and with
 * hyphens for spaces.
 */
function slugOf(heading: string): string {
	return heading
		.replaceAll(INLINE_CODE, (_all, _ticks, code: string) => code.replaceAll(/[<>]/g, ''))
		.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
		.replaceAll(/<[^>]+>/g, '')
		.replaceAll(/(?<![\p{L}\p{N}])_([^_]+)_(?![\p{L}\p{N}])/gu, '$1')
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
		.replaceAll(' ', '-');
}

/** Targets of links and pictures, in Markdown and HTML; not what stands in code. */
export function links(page: Page): string[] {
	const text = prose(page).replaceAll(INLINE_CODE, '`code`');
	return linksIn(text);
}

export function linksIn(markdown: string): string[] {
	const patterns = [
		// [text](target "title"), ![picture](<target with spaces>)
		/\]\(\s*(?:<([^>]*)>|([^)\s]+))(?:\s+["'(][^)]*)?\s*\)/g,
		// [name]: target
		/^[ \t]*\[[^\]]+\]:[ \t]*(?:<([^>]*)>|(\S+))/gm,
		/\b(?:href|src|srcset)=(?:"([^"\s]*)|'([^'\s]*))/g,
	];
	const found = patterns.flatMap((pattern) =>
		[...markdown.matchAll(pattern)].map(([, one, other]) => one ?? other ?? ''),
	);
	return [...new Set(found)];
}
