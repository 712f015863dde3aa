import type { Answer } from '../http/answer';

/** The query parameters of a request for one page. */
export type PageQuery = Record<string, string>;

/** An answer with a page of a list. */
export interface ReadPage {
	json: unknown;
	headers: Answer['headers'];
	/** How many records are on it. */
	pageRecords: number;
	/** What the page was asked for with. */
	query: PageQuery;
	/** How many pages, and recordings on them, were read before this one. */
	earlier: { pages: number; records: number };
}
