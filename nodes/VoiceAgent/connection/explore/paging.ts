import type { PagingSettings } from '../../../service/apiCredential';
import { furtherPage } from '../../../service/list/nextPage';
import { hintsAtMore } from '../../../service/list/unexplained';
import type { Asker } from './asker';
import { exploreBeyond } from './beyond';
import { followed, type Found, type PagingFacts, probed } from './nextPages';
import { type Page, pageOf, pageSizeOf, readPage, saysMore, signsOfPage, smallPage } from './pages';
import type { ListFacts } from './recordings';
import type { Finding, Settings } from './settings';

export interface ExploredPaging {
	paging: PagingFacts;
	findings: Finding[];
}

/** Finds out how a long list continues: what is said counts only if it leads to other records. */
export async function explorePaging(asker: Asker, facts: ListFacts): Promise<ExploredPaging> {
	const whole = pageOf(facts, facts.exchange);
	if (!whole) return explored({ kind: 'unknown', pages: {} }, notKnown('The list was not read.'));
	const { sizeParameter, small } = await smallPage(asker, facts, whole);
	const first = small ?? whole;
	const pageSize = pageSizeOf(whole);
	const known = {
		...(sizeParameter !== undefined && { sizeParameter }),
		...(pageSize !== undefined && { pageSize }),
	};
	const mode = asker.access.paging;
	const isMore = small !== undefined || saysMore(mode, first);
	if (!isMore) return completeList(whole, mode);
	const context = { asker, facts, first, whole: small ? whole : undefined };
	const recognized = await followed(context, mode);
	const found = recognized ?? (await probed(context));
	const pages = {
		more: first.exchange.name,
		...(small && !saysMore({ mode: 'automatic' }, whole) && { last: whole.exchange.name }),
	};
	if (!found) return explored({ kind: 'unknown', ...known, pages }, unfollowable(first, mode));
	const { settings, ...way } = found;
	const isRecognized = recognized !== undefined;
	const finding: Finding = {
		question: 'How does a long list continue?',
		answer: wayInWords(way, sizeParameter),
		recognized: isRecognized,
		settings: isRecognized ? settingsOf(mode) : settings,
	};
	const isCounting = (isRecognized ? mode.mode : settings?.paging) === 'parameter';
	const beyond = await exploreBeyond(context, way, isCounting);
	return { paging: { ...way, ...known, pages }, findings: [finding, beyond] };
}

function explored(paging: PagingFacts, finding: Finding): ExploredPaging {
	return { paging, findings: [finding] };
}

function notKnown(answer: string): Finding {
	return { question: 'How does a long list continue?', answer, recognized: null };
}

/** Nothing shows that there are more records. */
function completeList(whole: Page, mode: PagingSettings): ExploredPaging {
	const count = whole.records.length;
	const { unclear } = furtherPage(mode, readPage(whole));
	if (unclear === undefined) {
		const answer = `Nothing in the answer with ${count} records says that there are more, and no usual parameter makes a smaller page.`;
		const finding = { ...notKnown(answer), recognized: true, settings: settingsOf(mode) };
		return explored({ kind: 'none', pages: { last: whole.exchange.name } }, finding);
	}
	const answer = `It is unclear whether ${count} records are all: ${unclear}.`;
	const advice = `If the service's web portal shows ${count} too, set 'Paging' to The List Is Complete: nothing in the answers proves it`;
	const finding = { ...notKnown(answer), recognized: false, advice };
	const isPart = signsOfPage(whole).some(
		(sign) => (sign.number ?? 0) > count && hintsAtMore(sign, count),
	);
	const size = isPart ? { pageSize: count } : {};
	return explored({ kind: 'unknown', ...size, pages: { last: whole.exchange.name } }, finding);
}

function unfollowable(first: Page, mode: PagingSettings): Finding {
	const { more, unclear } = furtherPage(mode, readPage(first));
	const said = more ?? unclear;
	const why = said === undefined ? 'and nothing in the answer says so' : `as ${said}`;
	return {
		question: 'How does a long list continue?',
		answer: `There are more records than on a page, ${why}. No field or usual parameter leads to them.`,
		recognized: false,
		advice:
			"Nothing can be set: ask the service how the next page is asked for, and enter it as 'Paging'",
	};
}

function wayInWords({ kind, parameter, field, emptyPages }: Found, sizeParameter?: string): string {
	const size =
		sizeParameter === undefined ? '' : ` '${sizeParameter}' sets how many records a page has.`;
	const from = field === undefined ? '' : ` with the value of '${field}'`;
	const ways = {
		address: `'${field}' has the address of the next page.`,
		cursor: `'${parameter}' asks for the next page${from}.`,
		page: `'${parameter}' is the number of the page.`,
		offset: `'${parameter}' is the position of the first record.`,
		none: '',
		unknown: '',
	};
	const empty = emptyPages === undefined ? '' : ' Empty pages come in between: they are read over.';
	return `${ways[kind]} It leads to other records.${empty}${size}`;
}

/** The settings of the credential as they are. */
function settingsOf(paging: PagingSettings): Settings {
	switch (paging.mode) {
		case 'nextField':
			return {
				paging: paging.mode,
				nextField: paging.field,
				cursorParameter: paging.parameter,
			};
		case 'parameter':
			return {
				paging: paging.mode,
				pageParameter: paging.parameter,
				counts: paging.counts,
				firstValue: paging.first,
			};
		default:
			return { paging: paging.mode };
	}
}
