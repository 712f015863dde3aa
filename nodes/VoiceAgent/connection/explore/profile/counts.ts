import { meaningOf, type Role } from '../../../../service/list/conventions';
import { counts } from '../../../../service/list/subjects';

/** Numbers with these roles count pages and records, and say nothing about anybody. */
const COUNTS: ReadonlyArray<Role | undefined> = [
	...(['page', 'offset', 'pages', 'lastPage', 'total', 'count', 'maxPerPage'] as const),
];
/** Names of such roles that may be about a person too. */
const NAMES_OF_PEOPLE = ['from', 'to', 'number', 'start', 'end'];
const MAX_COUNT = 1_000_000;

/** Whether the words of a name say so, such as `resultCount`. */
function isCountInWords(name: string): boolean {
	const words = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
	return words.split(/[^\p{L}]+/u).some((word) => counts.has(word));
}

/** Whether a number counts pages or records, by its name. */
export function isCount(name: string, text: string): boolean {
	if (!/^\d{1,6}$/.test(text) || Number(text) > MAX_COUNT) return false;
	if (NAMES_OF_PEOPLE.includes(name.toLowerCase())) return false;
	return COUNTS.includes(meaningOf(name)?.role) || isCountInWords(name);
}
