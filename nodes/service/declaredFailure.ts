import type { JsonObject } from './payload';
import { booleanIn, isJsonObject, plainName } from './payload';

/** A verdict is among few fields, and at the beginning of a text. */
const MAX_FIELDS = 1_000;
const MAX_TEXT = 1_000;

// Names, as plain names, and words that services use for it.
const SUCCESS =
	/^(?:is|was)?(?:success|successful|succeeded|ok|okay|accepted|deleted|removed|sent|placed)$/;
const FAILURE =
	/^(?:is|has)?(?:errors?|exceptions?|faults?|fail(?:ed|ures?)?)$|^err(?:or)?(?:code|msg|message|text|description|details?)?$/;
const VERDICT =
	/^(?:(?:http)?status(?:code|text)?|state|result|outcome|code|type|response(?:code|status))$/;
const FAILED =
	/^(?:err(?:or)?|errored|fail(?:ed|ure)?|rejected|refused|denied|invalid|unauthorized|forbidden|exception|fatal|nok|ko|not[\s_-]?found)$/i;
const NO_FAILURE = /^(?:|0+|none|no|null|nil|ok|false|success|no[\s_-]?errors?)$/i;
/** Objects around or beside the content. Others may hold what the user has sent. */
const ENVELOPE =
	/^(?:data|result|results|response|meta|status|body|payload|outcome|call|message|sms|recording|d)$/;

/**
 * What in an answer with a status of 2xx says that the request failed, such as `{ "success": false }`; `undefined` if
 * nothing does. It is looked for at the top and one level down, but not in the records of a list.
 */
export function declaredFailure(json: unknown): unknown {
	if (json === false) return json;
	if (typeof json === 'string') {
		const isError = /^\W*(?:error|fail(?:ed|ure)?|false|rejected|denied)\b/i.test(textIn(json));
		return isError ? json : undefined;
	}
	if (Array.isArray(json) && json.length > 1) return undefined;
	const [only] = [json].flat() as unknown[];
	if (!isJsonObject(only)) return undefined;
	// The only record of a list has a status of its own.
	if (Array.isArray(json) && namesIn(only).some((name) => plainName(name) === 'sessionguid')) {
		return undefined;
	}
	const inner = namesIn(only).filter((name) => ENVELOPE.test(plainName(name)));
	return [only, ...inner.map((name) => only[name])].filter(isJsonObject).find(saysFailed);
}

function namesIn(object: JsonObject): string[] {
	const names = Object.keys(object);
	return names.length > MAX_FIELDS ? [] : names;
}

function saysFailed(answer: JsonObject): boolean {
	return namesIn(answer).some((name) => {
		const value = answer[name];
		const plain = plainName(name);
		const says = booleanIn(value);
		if (SUCCESS.test(plain))
			return says === false || (value === 0 && !/accepted|sent|placed/.test(plain));
		if (FAILURE.test(plain))
			return (
				says ?? (isSomething(value) && !(plain.startsWith('fail') && typeof value === 'number'))
			);
		if (!VERDICT.test(plain)) return false;
		const text = typeof value === 'number' ? String(value) : textIn(value);
		return says === false || /^[45]\d\d$/.test(text) || FAILED.test(text);
	});
}

function isSomething(value: unknown): boolean {
	if (Array.isArray(value)) return value.length > 0;
	if (isJsonObject(value)) return Object.keys(value).length > 0;
	return !NO_FAILURE.test(typeof value === 'string' ? textIn(value) : String(value ?? ''));
}

function textIn(value: unknown): string {
	return typeof value === 'string' ? value.slice(0, MAX_TEXT).trim() : '';
}
