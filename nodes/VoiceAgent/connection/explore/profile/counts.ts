import { meaningOf, type Role } from '../../../../service/list/conventions';
import { counts } from '../../../../service/list/subjects';
import { wordsOf } from './fieldNames';

/** Numbers with these roles count pages and records, and say nothing about anybody. */
const COUNTS: ReadonlyArray<Role | undefined> = [
	...(['page', 'offset', 'pages', 'lastPage', 'total', 'count', 'maxPerPage'] as const),
];
/** Names of such roles that may be about a person too. */
const NAMES_OF_PEOPLE = ['from', 'to', 'number', 'start', 'end'];
const MAX_COUNT = 1_000_000;

/** Whether a number counts pages or records, by its name. */
export function isCount(name: string, text: string): boolean {
	if (!/^\d{1,6}$/.test(text) || Number(text) > MAX_COUNT) return false;
	if (NAMES_OF_PEOPLE.includes(name.toLowerCase())) return false;
	// Such as `resultCount`, which has no role.
	const isCountInWords = wordsOf(name).some((word) => counts.has(word));
	return isCountInWords || COUNTS.includes(meaningOf(name)?.role);
}

/** How many records the pages of the list have: beside a list, such a number says "all". */
export class PageCounts {
	private readonly records = new Set<number>();

	learn(records: number): void {
		this.records.add(records);
	}

	has(number: number): boolean {
		return this.records.has(number);
	}

	/** Whether two numbers say as little about the records of a page. */
	areAlike(one: number, other: number): boolean {
		return one > 1 === other > 1 && this.has(one) === this.has(other);
	}
}
