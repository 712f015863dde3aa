/** A text that was made to slow down a regular expression of the nodes does not slow it down. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import ts from 'typescript';

import { root } from '../../scripts/paths.mjs';
import { repositoryFiles } from '../docs/pages.mts';
import { CountedRegex } from './regexSteps.mts';

/** One of each kind of character. */
const ALPHABET = [...' \n\tazAZ09_-./:;,<>"\'=+()[]{}\\%&#@*!?|^$~`ü\u200b\u0000'];
const SHORT = 30;
const LONG = 2 * SHORT;
/** Twice as long a text takes twice as long, and not four times. */
const MOST_GROWTH = 3;
/** For so few steps, nothing can be said. */
const FEW = 100;
/** A text so short needs far fewer, unless their number grows exponentially. */
const MOST = 200_000;

/** Those that are slow for a long text, and why none comes to them. */
const NEVER_LONG: ReadonlyMap<string, string> = new Map([
	[String.raw`/^[.\s]+|[.\s]+$/g`, 'a part of a file name, which was cut to the bytes it may have'],
	[String.raw`/\/(?:api\/customer|swagger)(?:\/.*)?$/i`, 'an address that a user has entered'],
	[String.raw`/\/+$/`, 'an address that a user has entered'],
]);

interface Found {
	place: string;
	regex: RegExp;
}

/** The literals, in all files of the nodes and credentials. */
function regexesOf(path: string): Found[] {
	const text = readFileSync(join(root, path), 'utf8');
	const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
	const found: Found[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isRegularExpressionLiteral(node)) {
			const end = node.text.lastIndexOf('/');
			const regex = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
			const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
			found.push({ place: `${path}:${line}`, regex });
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	return found;
}

/** The text for which it grows most, if it grows more than it may. */
function slowText(regex: RegExp): string | undefined {
	const counted = new CountedRegex(regex);
	const pumps = counted.pumps(ALPHABET);
	const units = [...pumps, ...pumps.flatMap((one) => pumps.map((other) => one + other))];
	// What ends a text must not match, so that all ways are tried.
	for (const start of ['', ...pumps]) {
		for (const unit of new Set(units)) {
			for (const end of ['', '\u0000']) {
				const steps = (times: number) => counted.steps(start + unit.repeat(times) + end);
				const long = steps(LONG);
				if (long <= FEW) continue;
				const isSlow = long > Math.min(MOST, MOST_GROWTH * steps(SHORT) + FEW);
				if (isSlow) return start + unit.repeat(3) + end;
			}
		}
	}
	return undefined;
}

suite('regular expressions', () => {
	test('the count finds those that are slow, and only those', () => {
		const slow = [/^\w* ?[\d*-]+\/\d$/, /<([^>]*)>/, /(a+)+$/, /\s+$/, /^(?:a|a)*b/, /x*y/];
		const quick = [/^[a-z]* ?[\d*-]+\/\d$/, /a+/, /^\s+/, /[^a]/g, /^(?:ab|cd)*$/, /x{1,3}y/];
		assert.deepEqual(
			slow.filter((regex) => slowText(regex) === undefined),
			[],
		);
		assert.deepEqual(
			quick.filter((regex) => slowText(regex) !== undefined),
			[],
		);
	});

	test('of the nodes: each that may get a long text takes a time that grows as its length', () => {
		const sources = repositoryFiles().filter((path) =>
			/^(?:nodes|credentials)\/.*\.ts$/.test(path),
		);
		const all = sources.flatMap(regexesOf);
		assert.ok(all.length > 100, String(all.length));
		const different = new Map(all.map((one) => [String(one.regex), one]));
		const slow = [...different.values()].flatMap(({ place, regex }) => {
			if (NEVER_LONG.has(String(regex))) return [];
			const text = slowText(regex);
			return text === undefined ? [] : [`${place} ${String(regex)} with ${JSON.stringify(text)}`];
		});
		assert.deepEqual(slow, []);
		const own = new Set(all.map(({ regex }) => String(regex)));
		assert.deepEqual(
			[...NEVER_LONG.keys()].filter((one) => !own.has(one)),
			[],
			'is no longer there',
		);
	});
});
