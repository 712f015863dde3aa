/** The project's own lint rule: which strings that are split it takes for a list. */
import { suite, test } from 'node:test';
import { RuleTester } from 'eslint';
import { parser } from 'typescript-eslint';

import { noListInString } from '../../scripts/eslint/noListInString.mjs';

RuleTester.describe = suite;
RuleTester.it = test;

const valid = [
	'name.split("/")',
	'"a,b".concat("c")',
	'"nothing".split("")',
	'let words = "a b"; words = read(); words.split(" ")',
	'const words = read(); words.split(" ")',
	'function f(words) { words.split(" ") }',
	'const table = { text: "a b", name: read() }; table.name.split(" ")',
	'const words = "a b"; function f(words) { words.split(" ") }',
	'`${hours}:${minutes}`.split(":")',
];

const invalid = [
	'"a b".split(" ")',
	'"a,b".split(",")',
	'`a\n\tb`.split(/\\s+/)',
	'`a b ${more}`.split(" ")',
	'const WORDS = "a b"; const list = [...WORDS.split(" "), "c"]',
	'const WORDS = "a b" as const; function f() { return WORDS.split(" ") }',
	'const table = { one: "a b" } satisfies object; table.one.split(" ")',
	'const table = { one: "a", two: ["b|c"] }; table[name].split("|")',
	'const WORDS = "a b"; const table = { one: WORDS }; table.one?.split(" ")',
	'["a b", "c d"][index].split(" ")',
];

new RuleTester({ languageOptions: { parser } }).run('no-list-in-string', noListInString, {
	valid,
	invalid: invalid.map((code) => ({ code, errors: [{ messageId: 'list' }] })),
});
