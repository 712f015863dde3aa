import type { JsonObject } from './payload';
import { booleanIn, isJsonObject, plainName } from './payload';

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
		return /^\W*(?:error|fail(?:ed|ure)?|false|rejected|denied)\b/i.test(json) ? json : undefined;
	}
	const [only, ...others] = Array.isArray(json) ? (json as unknown[]) : [json];
	if (!isJsonObject(only) || others.length > 0) return undefined;
	// The only record of a list has a status of its own.
	if (Array.isArray(json) && Object.keys(only).some((name) => plainName(name) === 'sessionguid')) {
		return undefined;
	}
	const inner = Object.entries(only).filter(([name]) => ENVELOPE.test(plainName(name)));
	return [only, ...inner.map(([, value]) => value)].filter(isJsonObject).find(saysFailed);
}

function saysFailed(answer: JsonObject): boolean {
	return Object.entries(answer).some(([name, value]) => {
		const plain = plainName(name);
		const says = booleanIn(value);
		if (SUCCESS.test(plain))
			return says === false || (value === 0 && !/accepted|sent|placed/.test(plain));
		if (FAILURE.test(plain))
			return (
				says ?? (isSomething(value) && !(plain.startsWith('fail') && typeof value === 'number'))
			);
		if (!VERDICT.test(plain)) return false;
		const isErrorStatus = /^[45]\d\d$/.test(String(value));
		return (
			says === false || isErrorStatus || (typeof value === 'string' && FAILED.test(value.trim()))
		);
	});
}

function isSomething(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
	return !NO_FAILURE.test(String(value ?? '').trim());
}
