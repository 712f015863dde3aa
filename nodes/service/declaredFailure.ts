import type { JsonObject } from './payload';
import { booleanIn, fewNamesIn, isJsonObject, plainName } from './payload';

/** A verdict is at the beginning of a text. */
const MAX_TEXT = 1_000;

// Names, as plain names, and words that services use for it.
const SUCCESS =
	/^(?:is|was)?(?:success|successful|succeeded|ok|okay|accepted|deleted|removed|sent|placed)$/;
const FAILURE =
	/^(?:is|has)?(?:errors?|exceptions?|faults?|fail(?:ed|ures?)?|rejected|refused|denied)$|^err(?:or)?(?:code|no|msg|message|text|description|details?)?$/;
/** With a number, it says how many. */
const COUNTED = /^(?:fail|rejected|refused|denied)/;
const VERDICT =
	/^(?:(?:http)?status(?:code|text)?|state|result|outcome|code|type|(?:response|result|return|ret)code|responsestatus)$/;
const FAILED =
	/^(?:abort(?:ed)?|err(?:or(?:ed)?)?|fail(?:ed|ure)?|unsuccessful|rejected|refused|denied|invalid|unauthorized|forbidden|exception|fatal|nok|ko|not[\s_-]?(?:ok|found|deleted|sent|placed))(?![a-z\d])/i;
const NO = /^(?:no?|0|off)$/i;
const NO_FAILURE = /^(?:|0+|none|no|null|nil|ok|false|success|no[\s_-]?errors?)$/i;
/** Objects around or beside the content. Others may hold what the user has sent. */
const ENVELOPE =
	/^(?:data|results|meta|status|body|payload|outcome|call|message|sms|recording|content|value|reply|output|d|.*(?:result|response))$/;

/**
 * What in an answer with a status of 2xx says that the request failed, such as `{ "success": false }`; `undefined` if
 * nothing does. It is looked for at the top and one level down, but not in the records of a list.
 */
export function declaredFailure(json: unknown): unknown {
	if (json === false) return json;
	if (typeof json === 'string') {
		const text = textIn(json).replace(/^\W+/, '');
		return FAILED.test(text) || /^false\b/i.test(text) ? json : undefined;
	}
	if (Array.isArray(json) && json.length > 1) return undefined;
	const [only] = [json].flat() as unknown[];
	if (!isJsonObject(only)) return undefined;
	// The only record of a list has a status of its own.
	if (Array.isArray(json) && fewNamesIn(only).some((name) => plainName(name) === 'sessionguid')) {
		return undefined;
	}
	const inner = fewNamesIn(only).filter((name) => ENVELOPE.test(plainName(name)));
	return [only, ...inner.map((name) => only[name])].filter(isJsonObject).find(saysFailed);
}

function saysFailed(answer: JsonObject): boolean {
	return fewNamesIn(answer).some((name) => {
		const value = answer[name];
		const plain = plainName(name);
		const says = booleanIn(value);
		if (SUCCESS.test(plain))
			return (
				says === false ||
				(NO.test(textOf(value)) && !(value === 0 && /accepted|sent|placed/.test(plain)))
			);
		if (FAILURE.test(plain))
			return says ?? (isSomething(value) && !(COUNTED.test(plain) && typeof value === 'number'));
		if (!VERDICT.test(plain)) return false;
		const text = textOf(value);
		return says === false || /^(?:[45]\d\d|-\d+)$/.test(text) || FAILED.test(text);
	});
}

function isSomething(value: unknown): boolean {
	if (Array.isArray(value)) return value.slice(0, MAX_TEXT).some(isSomething);
	if (isJsonObject(value)) return Object.keys(value).length > 0;
	return !NO_FAILURE.test(typeof value === 'string' ? textIn(value) : String(value ?? ''));
}

function textOf(value: unknown): string {
	return typeof value === 'number' ? String(value) : textIn(value);
}

function textIn(value: unknown): string {
	return typeof value === 'string' ? value.slice(0, MAX_TEXT).trim() : '';
}
