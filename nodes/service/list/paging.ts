import { fieldsIn } from './fields';
import type { Further, PageQuery, ReadPage } from './furtherPages';
import { furtherPages, queryOfAddress } from './furtherPages';

/** How the list of recordings comes in pages, as the credential says. */
export type PagingSettings =
	| { mode: 'automatic' | 'complete' }
	/** A field of each answer has the address of the next page, or a value for the parameter. */
	| { mode: 'nextField'; field: string; parameter: string }
	/** A parameter of each request has the number of the page, or of the first record. */
	| { mode: 'parameter'; parameter: string; first: number; counts: 'pages' | 'records' };

export interface Paging {
	/** What the first page is asked for with. */
	first: PageQuery;
	/** What follows a page. */
	after: (page: ReadPage) => Further;
}

export function pagingOf(settings: PagingSettings): Paging {
	switch (settings.mode) {
		case 'automatic':
			return { first: {}, after: furtherPages() };
		case 'complete':
			return { first: {}, after: () => ({}) };
		case 'nextField':
			return { first: {}, after: (page) => byField(page, settings.field, settings.parameter) };
		case 'parameter': {
			const { parameter, first, counts } = settings;
			const after = ({ found, query }: ReadPage) => {
				const read = found.records.length;
				const position = Number(query[parameter]) + (counts === 'pages' ? 1 : read);
				return read === 0 ? {} : { next: { ...query, [parameter]: String(position) } };
			};
			return { first: { [parameter]: String(first) }, after };
		}
	}
}

function byField({ json, query }: ReadPage, field: string, parameter: string): Further {
	const value = fieldsIn(json).find(({ path }) => path === field)?.value;
	if (value === undefined || value === null || value === '' || value === false) return {};
	if (typeof value === 'object') return { more: `the field '${field}' is not a URL or cursor` };
	const text = String(value);
	const next = queryOfAddress(text) ?? (parameter === '' ? undefined : { [parameter]: text });
	if (next) return { next: { ...query, ...next } };
	return {
		more: `the field '${field}' is not a URL with a query, and no 'Cursor Parameter' is set`,
	};
}
