import { fieldsIn } from '../../../data/fields';
import { isJsonObject } from '../../../data/json';
import { isWebPage } from '../../../service/http/answer';
import { declaresFailure } from '../../../service/http/request';
import { recordingPath, RECORDINGS_PATH } from '../../../service/recordings';
import type { Asker, Exchange } from './asker';
import { otherGuid } from './otherGuid';
import { namesInWords } from './profile/fieldNames';
import type { ListFacts } from './recordings';
import type { Finding } from './settings';

/** What no service has as a session GUID, and what may still be sent in a path. */
const MALFORMED = 'not-a-session-guid-0';

/** How the service refuses: without a key, with a wrong one, and what it does not know. */
export async function exploreRefusals(asker: Asker, facts?: ListFacts): Promise<Finding[]> {
	const { sessionGuid } = facts ?? {};
	const noKey = await asker.ask('noKey', RECORDINGS_PATH, { key: 'none' });
	const wrongKey = await asker.ask('wrongKey', RECORDINGS_PATH, { key: 'wrong' });
	const unknownPath = recordingPath(otherGuid(sessionGuid));
	const unknown = await asker.ask('unknownGuid', unknownPath, { isFile: true });
	const malformedPath = recordingPath(MALFORMED);
	const malformed = await asker.ask('malformedGuid', malformedPath, { isFile: true });
	return [
		keyFinding('What is answered without an API key?', noKey, facts),
		keyFinding('What is answered to a wrong API key?', wrongKey, facts),
		goneFinding('What is answered for an unknown session GUID?', unknown, facts),
		goneFinding('What is answered for a malformed session GUID?', malformed, facts),
		bodyFinding([noKey, wrongKey, unknown, malformed], facts),
	];
}

/** The service's specification says 401. */
function keyFinding(
	question: string,
	exchange: Exchange | undefined,
	facts: ListFacts | undefined,
): Finding {
	const { answer } = exchange ?? {};
	if (!answer) return { question, answer: notAsked(exchange), recognized: null };
	if (exchange && isRefusedAsSuccess(exchange, facts)) {
		const said = `Status ${answer.status}, and a body that refuses it. ${AS_SUCCESS}`;
		return { question, answer: said, recognized: false, advice: NOTHING };
	}
	if (answer.status < 300) {
		const said = `Status ${answer.status}: the service lists recordings anyway.`;
		const advice = 'Tell the operator of the service: anyone can read your recordings';
		return { question, answer: said, recognized: false, advice };
	}
	return { question, answer: `Status ${answer.status}.`, recognized: answer.status === 401 };
}

function goneFinding(
	question: string,
	exchange: Exchange | undefined,
	facts: ListFacts | undefined,
): Finding {
	const { answer } = exchange ?? {};
	if (!answer) return { question, answer: notAsked(exchange), recognized: null };
	const { status, text } = answer;
	if (exchange && isRefusedAsSuccess(exchange, facts)) {
		const said = `Status ${status}, and JSON in place of a recording. ${AS_SUCCESS} Whether one is gone, only the list shows.`;
		return { question, answer: said, recognized: false, advice: NOTHING };
	}
	if (status < 300) {
		const answer = `Status ${status}, as for a recording. Whether one is gone, only the list shows.`;
		return { question, answer, recognized: false };
	}
	const isGone = [400, 404, 410].includes(status) && !isWebPage(text);
	const confirmed = isGone ? ' It means "gone" if the list confirms it.' : '';
	return { question, answer: `Status ${status}.${confirmed}`, recognized: isGone };
}

function bodyFinding(
	exchanges: ReadonlyArray<Exchange | undefined>,
	facts: ListFacts | undefined,
): Finding {
	const kinds = exchanges.flatMap((one) => {
		if (!one?.answer || (one.answer.status < 300 && !isRefusedAsSuccess(one, facts))) return [];
		const { json, text } = one.answer;
		if (isJsonObject(json)) return [`JSON with ${namesInWords(Object.keys(json))}`];
		if (json !== undefined) return ['JSON'];
		if (text.trim() === '') return ['nothing'];
		return [isWebPage(text) ? 'a web page' : 'text'];
	});
	const question = 'What is in the body of an error?';
	if (kinds.length === 0) return { question, answer: 'No error came.', recognized: null };
	return { question, answer: `${[...new Set(kinds)].join('; ')}.`, recognized: true };
}

const AS_SUCCESS = 'The nodes stop with what the body says.';
const NOTHING = 'Nothing can be set: ask the service to refuse with a status of 400 or more';

/** What is answered with a list, unless it is refused. */
const LISTS = ['noKey', 'wrongKey'];

/** Whether the service refuses with the status of a success: only the body says so. */
export function isRefusedAsSuccess(
	{ name, asked, answer }: Exchange,
	facts: ListFacts | undefined,
): boolean {
	if (!answer || answer.status >= 300 || answer.json === undefined) return false;
	if (asked.path.startsWith(`${RECORDINGS_PATH}/`) && asked.method === 'GET') return true;
	if (declaresFailure(answer, answer.json, asked.method)) return true;
	return facts !== undefined && LISTS.includes(name) && !hasList(answer.json, facts.list.path);
}

/** Whether a list is where it is for those who may read it. */
function hasList(json: unknown, path: string): boolean {
	if (path === '') return Array.isArray(json) || json === null;
	return fieldsIn(json).some((field) => field.path === path);
}

/** Why there is no answer. */
export function notAsked(exchange: Exchange | undefined): string {
	return exchange?.failure ? `No answer: ${exchange.failure.message}.` : 'Not asked.';
}
