import type { PageQuery } from '../../../service/list/readPage';
import { RECORDINGS_PATH } from '../../../service/recordings';
import { declaresFailure } from '../../../service/http/request';
import { notAsked } from './access';
import type { Exchange } from './asker';
import type { Context, Found } from './nextPages';
import { pageOf } from './pages';
import type { Finding } from './settings';

/** No list that is explored has so many pages or records. */
const FAR = { pages: 9_999, records: 999_999 };
const QUESTION = 'What is answered for a page beyond the last one?';

/**
 * Asks for a page that the list does not have, if pages or records are counted. A cursor comes from
 * the service, so nobody can have one that leads there.
 *
 * @param isCounting whether the nodes count pages themselves, and read until one is empty
 */
export async function exploreBeyond(
	context: Context,
	{ parameter, counts }: Pick<Found, 'parameter' | 'counts'>,
	isCounting: boolean,
): Promise<Finding> {
	const { asker, first } = context;
	if (parameter === undefined || counts === undefined) {
		const answer = 'Not asked: no page has a number.';
		return { question: QUESTION, answer, recognized: null };
	}
	const query: PageQuery = { ...first.query, [parameter]: String(FAR[counts]) };
	const exchange = await asker.ask('beyond', RECORDINGS_PATH, { query });
	const { answer } = exchange ?? {};
	if (!exchange || !answer) {
		return { question: QUESTION, answer: notAsked(exchange), recognized: null };
	}
	const said = answerInWords(context, exchange);
	if (!isCounting) {
		const all = `${said} The nodes do not ask for it.`;
		return { question: QUESTION, answer: all, recognized: true };
	}
	const isEnd = said === EMPTY;
	const advice =
		'Nothing can be set: the nodes read until a page is empty, so ask the service to send one';
	return { question: QUESTION, answer: said, recognized: isEnd, ...(!isEnd && { advice }) };
}

const EMPTY = 'An empty page.';

function answerInWords({ facts, first, whole }: Context, exchange: Exchange): string {
	const { status, json } = exchange.answer ?? {};
	const refused = `Status ${status}, and no page.`;
	if (exchange.answer && declaresFailure(exchange.answer, json, 'GET')) return refused;
	const page = pageOf(facts, exchange);
	if (!page) return refused;
	if (page.keys.length === 0) return EMPTY;
	const isFirst = page.keys.every((key) =>
		(whole ?? first).keys.slice(0, page.keys.length).includes(key),
	);
	return isFirst ? 'The first page again.' : 'A page with records, such as the last one.';
}
