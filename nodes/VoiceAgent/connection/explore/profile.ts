import { isJsonObject, type JsonObject } from '../../../data/json';
import { finderOf } from '../../../data/secretForms';
import { isRefusedAsSuccess } from './access';
import type { Answered, Asker, Exchange } from './asker';
import { rolesIn } from './fields';
import type { PagingFacts } from './nextPages';
import { pageOf } from './pages';
import type { PastedWebhook } from './pastedWebhook';
import { Anonymizer } from './profile/anonymizer';
import { PAGES, shownList, shownPath, shownRoles } from './profileList';
import type { ListFacts } from './recordings';
import { withRecords } from './records';
import { proposed, type Settings } from './settings';
import { methodOf, signatureOf } from './webhooks';

/** The format of the file; docs/service-profile.md describes it. */
const VERSION = 1;
/** A longer body, such as that of a large API document, is left out. */
const MAX_BODY_CHARS = 200_000;
/** So many records of a list are enough. */
const MAX_RECORDS = 5;

/** Exchanges that are answered with the list. */
const LISTS = [...PAGES, 'beyond', 'listAfterDelete'];

interface Known {
	facts: ListFacts | undefined;
	paging: PagingFacts | undefined;
	webhooks: readonly PastedWebhook[];
	settings: Settings;
}

/**
 * What was asked and answered, for others to see: without secrets, and with nobody's data. Names of
 * fields, structure, types, formats, statuses, header names and sizes stay.
 */
export function profileOf(asker: Asker, known: Known): JsonObject {
	const { baseUrl, secrets } = asker.access;
	const holdsSecret = finderOf(secrets);
	const anonymizer = new Anonymizer(holdsSecret, baseUrl);
	const texts = asker.exchanges.map(({ answer }) => answer?.text ?? '');
	for (const text of [...texts, ...known.webhooks.map(({ text }) => text)]) anonymizer.learn(text);
	const { facts, paging } = known;
	const bytes = facts?.download?.answer?.file?.bytes;
	if (bytes !== undefined && !holdsSecret(String(bytes))) anonymizer.keepSize(bytes);
	for (const exchange of asker.exchanges) {
		if (exchange.name === 'document') anonymizer.learnDocument(exchange.answer?.json);
		const isPage = facts !== undefined && LISTS.includes(exchange.name);
		const page = isPage ? pageOf(facts, exchange) : undefined;
		if (page) anonymizer.learnPage(page.records.length);
	}
	return {
		version: VERSION,
		exchanges: asker.exchanges.map((one) => shownExchange(anonymizer, one, facts)),
		...(facts && { list: shownList(anonymizer, asker, { facts, paging }) }),
		webhooks: known.webhooks.map((one) => shownWebhook(anonymizer, one, asker)),
		...shownSettings(anonymizer, known.settings),
	};
}

function shownExchange(
	anonymizer: Anonymizer,
	{ name, asked, answer, failure }: Exchange,
	facts: ListFacts | undefined,
): JsonObject {
	const { method, path, query, key, body } = asked;
	const request = {
		method,
		path: anonymizer.path(path),
		query: shownQuery(anonymizer, query),
		key,
		...(body !== undefined && { body: anonymizer.value(body) }),
	};
	if (!answer) return { name, request, failure: failure?.reason ?? 'unexpected' };
	const refused = isRefusedAsSuccess({ name, asked, answer }, facts) ? { isRefusal: true } : {};
	return {
		name,
		request,
		answer: { ...shownAnswer(anonymizer, answer, { name, facts }), ...refused },
	};
}

function shownQuery(anonymizer: Anonymizer, query: Record<string, string>): JsonObject {
	const entries = Object.entries(query).map(([name, value]) => [
		anonymizer.fieldName(name),
		anonymizer.queryValue(name, value),
	]);
	return Object.fromEntries(entries) as JsonObject;
}

function shownAnswer(
	anonymizer: Anonymizer,
	answer: Answered,
	{ name, facts }: { name: string; facts: ListFacts | undefined },
): JsonObject {
	const { status, headers, hops, text, json, file } = answer;
	const isList = LISTS.includes(name);
	const place = { hasCounts: isList, isDocument: name === 'document', status };
	const shown = isList && facts ? withRecords(json, facts.list.path, MAX_RECORDS) : json;
	return {
		status,
		headers: shownHeaders(anonymizer, headers),
		...(hops.length > 0 && {
			redirects: hops.map(({ status: hop, location }) => ({
				status: hop,
				location: anonymizer.header('location', location),
			})),
		}),
		...(file && { file }),
		...bodyOf(anonymizer, text, shown, place),
	};
}

function bodyOf(
	anonymizer: Anonymizer,
	text: string,
	json: unknown,
	place: Parameters<Anonymizer['value']>[1],
): JsonObject {
	if (text === '') return {};
	if (text.length > MAX_BODY_CHARS && !place?.hasCounts) return { isBodyLeftOut: true };
	if (json === undefined) return { text: anonymizer.text(text) };
	return { json: anonymizer.value(json, place) };
}

function shownHeaders(anonymizer: Anonymizer, headers: Answered['headers']): JsonObject {
	const entries = Object.entries(headers).map(([name, value]) => {
		const values = [value].flat().map((one) => anonymizer.header(name.toLowerCase(), String(one)));
		return [anonymizer.fieldName(name), values.length === 1 ? values[0] : values];
	});
	return Object.fromEntries(entries) as JsonObject;
}

function shownWebhook(anonymizer: Anonymizer, webhook: PastedWebhook, asker: Asker): JsonObject {
	const { event, payload, headers } = webhook;
	const { access } = asker;
	const signature = signatureOf(asker, webhook);
	const method = methodOf(webhook);
	const roles = rolesIn(payload, { ...access.named, sessionGuidField: '' }, Date.now());
	return {
		event,
		...(method !== undefined && { method }),
		headers: shownHeaders(anonymizer, headers),
		roles: isJsonObject(payload) ? shownRoles(anonymizer, roles, payload) : {},
		json: anonymizer.value(payload),
		...(signature && { signature: shownSignature(anonymizer, signature) }),
	};
}

/** With the names of headers as the profile has them. */
function shownSignature(anonymizer: Anonymizer, signature: Settings): JsonObject {
	const entries = Object.entries(signature).map(([name, value]) => {
		const isHeader = name === 'headerName' || /^(?:signature|timestamp|id)Header$/.test(name);
		return [name, isHeader ? anonymizer.fieldName(String(value)) : value];
	});
	return Object.fromEntries(entries) as JsonObject;
}

/**
 * The proposed settings, with the names that the profile has. Where one of them is not that of the
 * service, a note says so.
 */
function shownSettings(anonymizer: Anonymizer, settings: Settings): JsonObject {
	const given = proposed(settings);
	const shown = Object.fromEntries(
		Object.entries(given).map(([name, value]) => [name, shownSetting(anonymizer, name, value)]),
	);
	const replaced = Object.keys(given).filter((name) => shown[name] !== given[name]);
	const notes = replaced.map(
		(name) =>
			`'${name}' is not what to enter for the service: it has a name in it that may be somebody's, so that it is replaced in this file. The report has the value to enter.`,
	);
	return { settings: shown, ...(notes.length > 0 && { notes }) };
}

function shownSetting(anonymizer: Anonymizer, name: string, value: Settings[string]) {
	if (typeof value !== 'string') return value;
	if (name === 'apiDocumentPath') return anonymizer.path(value);
	if (name.endsWith('Field')) return shownPath(anonymizer, value);
	return name.endsWith('Parameter') ? anonymizer.fieldName(value) : value;
}
