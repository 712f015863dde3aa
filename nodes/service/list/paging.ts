import { fieldsIn } from '../../data/fields';
import type { PagingSettings } from '../credentials/apiCredential';
import { type Further, type PageQuery, type ReadPage, nextPage, queryOfAddress } from './nextPage';

/** What the first page is asked for with. */
export function firstPage(settings: PagingSettings): PageQuery {
	return settings.mode === 'parameter' ? { [settings.parameter]: String(settings.first) } : {};
}

/** What follows a page, as the user says. */
export function furtherPage(settings: PagingSettings, page: ReadPage): Further {
	switch (settings.mode) {
		case 'automatic':
			return nextPage(page);
		case 'complete':
			return {};
		case 'nextField':
			return byField(page, settings.field, settings.parameter);
		case 'parameter': {
			const { parameter, counts } = settings;
			const position = Number(page.query[parameter]) + (counts === 'pages' ? 1 : page.read);
			return page.read === 0 ? {} : { next: { ...page.query, [parameter]: String(position) } };
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
