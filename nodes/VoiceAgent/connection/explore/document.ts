import { isJsonObject } from '../../../data/json';
import { requestFields } from '../../call/callForm';
import { MAKE_CALL_PATH } from '../../call/make.operation';
import type { Asker } from './asker';
import { notAsked } from './access';
import type { Finding } from './settings';

/** Where services usually have their OpenAPI document. */
const USUAL_PATHS = ['/swagger/v1/swagger.json', '/openapi.json', '/swagger.json', '/v3/api-docs'];
const SMS_PATH = '/api/customer/sms';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Limits and times. A longer text, or another one, may say who the customer is. */
const NUMBERS = /^[\d\s;,=w]{1,40}$/;

/** Looks for the API document, where the credential says and at the usual places. */
export async function exploreDocument(asker: Asker): Promise<Finding> {
	const { documentPath } = asker.access;
	const question = 'Where is the API document, and does it describe a call?';
	const paths = [...new Set([documentPath, ...USUAL_PATHS])].filter((one) => one !== undefined);
	for (const path of paths) {
		const exchange = await asker.ask('document', path);
		const { status = 0, json } = exchange?.answer ?? {};
		if (status >= 300 || !isJsonObject(json) || !isJsonObject(json.paths)) continue;
		const settings = { apiDocumentPath: path };
		const where = `At ${path}.`;
		try {
			const names = requestFields(json, MAKE_CALL_PATH).map(({ id }) => id);
			const answer = `${where} Fields of a call: ${names.join(', ')}.`;
			return { question, answer, recognized: path === documentPath, settings };
		} catch (error) {
			const answer = `${where} ${(error as Error).message}.`;
			return { question, answer, recognized: false, settings };
		}
	}
	const answer = `Not at ${paths.join(', ')}.`;
	const advice =
		"The Swagger UI of the service has a link to it: enter its path as 'API Document Path'";
	return { question, answer, recognized: false, advice };
}

/** Asks which methods SMS takes. No message is sent. */
export async function exploreSms(asker: Asker): Promise<Finding> {
	const question = 'Can text messages (SMS) be sent?';
	const exchange = await asker.ask('smsOptions', SMS_PATH, { method: 'OPTIONS' });
	const { answer } = exchange ?? {};
	if (!answer) return { question, answer: notAsked(exchange), recognized: null };
	const allowed = String(answer.headers.allow ?? '').split(/[\s,]+/);
	const methods = METHODS.filter((method) => allowed.includes(method)).join(', ');
	const said = methods === '' ? '' : ` Methods: ${methods}.`;
	const text = `OPTIONS is answered with status ${answer.status}.${said} Nothing was sent.`;
	return { question, answer: text, recognized: null };
}

/** What the headers say about limits. */
export function exploreLimits(asker: Asker): Finding {
	const question = 'How many requests are allowed?';
	const all = asker.exchanges.flatMap(({ answer }) => Object.entries(answer?.headers ?? {}));
	const limits = all.filter(([name]) => /rate-?limit|retry-after/i.test(name));
	const inWords = limits.map(([name, value]) => {
		const text = String(value);
		return `${name}: ${NUMBERS.test(text) ? text : 'a text'}`;
	});
	const said = [...new Set(inWords)].slice(0, 5);
	if (asker.stopped) said.unshift(asker.stopped);
	const asked = `${asker.exchanges.length} requests were made.`;
	const answer = said.length > 0 ? `${asked} ${said.join('; ')}.` : `${asked} No header says so.`;
	return { question, answer, recognized: asker.stopped ? false : null };
}
