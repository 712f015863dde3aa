import type { JsonObject } from '../../../data/json';
import { EARLIEST_MS, parseTime } from '../../../data/times';
import { signsIn } from '../../../service/list/signs';
import { isGuid } from '../../../service/sessionGuid';
import type { Asker, Exchange } from './asker';
import { isInMilliseconds, orderOf, type Role, rolesIn } from './fields';
import type { PagingFacts } from './nextPages';
import { type Page, pageOf } from './pages';
import type { Anonymizer } from './profile/anonymizer';
import type { ListFacts } from './recordings';
import { leavesOf } from './records';

/** Exchanges that have read a page of the list. */
export const PAGES = ['list', 'one', 'next'];

export function shownList(
	anonymizer: Anonymizer,
	{ exchanges }: Asker,
	{ facts, paging }: { facts: ListFacts; paging: PagingFacts | undefined },
): JsonObject {
	const { answer, list, named, record, download } = facts;
	const bytes = download?.answer?.file?.bytes;
	const roles = record ? rolesIn(record, named, answer.serviceTimeMs, bytes) : {};
	return {
		path: shownPath(anonymizer, list.path),
		order: orderOf(facts),
		record: { roles: record ? shownRoles(anonymizer, roles, record) : {} },
		fields: shownSigns(anonymizer, exchanges, facts),
		...(paging && { paging: shownPaging(anonymizer, paging) }),
	};
}

/** What the fields beside the list, and the headers, say about pages: on all that were read. */
function shownSigns(
	anonymizer: Anonymizer,
	exchanges: readonly Exchange[],
	facts: ListFacts,
): JsonObject[] {
	const read = exchanges.filter(({ name }) => PAGES.includes(name));
	const pages = read.flatMap((exchange) => pageOf(facts, exchange) ?? []);
	const shown = new Map<string, JsonObject>();
	const counted = new Set(countsOf(pages));
	for (const { answer } of read) {
		if (!answer) continue;
		const inBody = signsIn(answer.json, {}).map((sign) => ({ ...sign, place: 'body' }));
		const inHeaders = signsIn({}, answer.headers).map((sign) => ({ ...sign, place: 'header' }));
		for (const { place, path, role: said } of [...inBody, ...inHeaders]) {
			const role = said ?? (place === 'body' && counted.has(path) ? 'count' : undefined);
			if (role === undefined) continue;
			shown.set(`${place} ${path}`, { place, path: shownPath(anonymizer, path), role });
		}
	}
	return [...shown.values()];
}

/**
 * The paths of numbers that nothing explains, and that are the number of records on each page. They
 * change with the page.
 */
function countsOf(pages: readonly Page[]): string[] {
	const pathsByPage = pages.map(({ answer, records }) =>
		signsIn(answer.json, {})
			.filter(({ role, number }) => role === undefined && number === records.length)
			.map(({ path }) => path),
	);
	const [first = [], ...others] = pathsByPage;
	return first.filter((path) => others.every((paths) => paths.includes(path)));
}

function shownPaging(anonymizer: Anonymizer, paging: PagingFacts): JsonObject {
	const { field, parameter, sizeParameter, ...others } = paging;
	return {
		...others,
		...(field !== undefined && { field: shownPath(anonymizer, field) }),
		...(parameter !== undefined && { parameter: anonymizer.fieldName(parameter) }),
		...(sizeParameter !== undefined && { sizeParameter }),
	};
}

export function shownRoles(
	anonymizer: Anonymizer,
	roles: Readonly<Record<string, Role>>,
	record: JsonObject,
): JsonObject {
	const leaves = new Map(leavesOf(record).map(({ path, value }) => [path, value]));
	const entries = Object.entries(roles).map(([path, role]) => [
		shownPath(anonymizer, path),
		{ role, format: formatOf(role, leaves.get(path), () => isInMilliseconds(record, path)) },
	]);
	return Object.fromEntries(entries) as JsonObject;
}

/** The format of a value, in words. */
function formatOf(role: Role, value: unknown, isMs: () => boolean): string {
	if (role === 'duration') return isMs() ? 'milliseconds' : 'seconds';
	if (isGuid(value)) return 'GUID';
	const isTime = parseTime(value) >= EARLIEST_MS;
	if (isTime && typeof value === 'string') {
		if (/^\d{4}-/.test(value)) return 'ISO 8601';
		if (value.startsWith('/Date')) return '.NET date';
		return /^\d+$/.test(value) ? 'time since 1970, as text' : 'RFC 1123';
	}
	if (isTime) return 'time since 1970';
	return value === null ? 'null' : typeof value;
}

/** The names of fields as the profile has them. */
export function shownPath(anonymizer: Anonymizer, path: string): string {
	return path
		.split('.')
		.map((name) => anonymizer.shownName(name))
		.join('.');
}
