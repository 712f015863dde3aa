import { isJsonObject } from '../../../data/json';
import { isWebPage } from '../../../service/http/answer';
import { recordingPath, RECORDINGS_PATH } from '../../../service/recordings';
import type { Asker, Exchange } from './asker';
import { otherGuid } from './otherGuid';
import { namesInWords } from './profile/fieldNames';
import type { Finding } from './settings';

/** What no service has as a session GUID, and what may still be sent in a path. */
const MALFORMED = 'not-a-session-guid-0';

/** How the service refuses: without a key, with a wrong one, and what it does not know. */
export async function exploreRefusals(asker: Asker, sessionGuid?: string): Promise<Finding[]> {
	const noKey = await asker.ask('noKey', RECORDINGS_PATH, { key: 'none' });
	const wrongKey = await asker.ask('wrongKey', RECORDINGS_PATH, { key: 'wrong' });
	const unknownPath = recordingPath(otherGuid(sessionGuid));
	const unknown = await asker.ask('unknownGuid', unknownPath, { isFile: true });
	const malformedPath = recordingPath(MALFORMED);
	const malformed = await asker.ask('malformedGuid', malformedPath, { isFile: true });
	return [
		keyFinding('What is answered without an API key?', noKey),
		keyFinding('What is answered to a wrong API key?', wrongKey),
		goneFinding('What is answered for an unknown session GUID?', unknown),
		goneFinding('What is answered for a malformed session GUID?', malformed),
		bodyFinding([noKey, wrongKey, unknown, malformed]),
	];
}

/** The service's specification says 401. */
function keyFinding(question: string, exchange: Exchange | undefined): Finding {
	const { answer } = exchange ?? {};
	if (!answer) return { question, answer: notAsked(exchange), recognized: null };
	if (answer.status < 300) {
		const said = `Status ${answer.status}: the service lists recordings anyway.`;
		const advice = 'Tell the operator of the service: anyone can read your recordings';
		return { question, answer: said, recognized: false, advice };
	}
	return { question, answer: `Status ${answer.status}.`, recognized: answer.status === 401 };
}

function goneFinding(question: string, exchange: Exchange | undefined): Finding {
	const { answer } = exchange ?? {};
	if (!answer) return { question, answer: notAsked(exchange), recognized: null };
	const { status, text } = answer;
	if (status < 300) {
		const answer = `Status ${status}, as for a recording. Whether one is gone, only the list shows.`;
		return { question, answer, recognized: false };
	}
	const isGone = [400, 404, 410].includes(status) && !isWebPage(text);
	const confirmed = isGone ? ' It means "gone" if the list confirms it.' : '';
	return { question, answer: `Status ${status}.${confirmed}`, recognized: isGone };
}

function bodyFinding(exchanges: ReadonlyArray<Exchange | undefined>): Finding {
	const kinds = exchanges.flatMap((one) => {
		if (!one?.answer || one.answer.status < 300) return [];
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

/** Why there is no answer. */
export function notAsked(exchange: Exchange | undefined): string {
	return exchange?.failure ? `No answer: ${exchange.failure.message}.` : 'Not asked.';
}
