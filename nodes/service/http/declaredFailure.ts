import type { JsonObject } from '../../data/payload';
import { booleanIn, fewNamesIn, isJsonObject, jsonOpener, plainName } from '../../data/payload';

/** A verdict is at the beginning of a text. */
const MAX_TEXT = 1_000;

/** So many objects and lists are read for a verdict. */
const MAX_PARTS = 100;

// Names, as plain names, and words that services use for it.
const SUCCESS =
	/^(?:is|was)?(?:success|successful|succeeded|ok|okay|accepted|deleted|removed|sent|placed)$/;
/** In a list, it may say how many others are gone. */
const GONE = /deleted|removed/;
/** With 0, or with an empty list, nothing was deleted. */
const DELETED = /^(?!.*(?:at|on|time|date|by)$).*(?:deleted|removed|affected)|^(?:count|n)$/;
const FAILURE =
	/^(?:is|has)?(?:errors?|exceptions?|faults?|fail(?:ed|ures?)?|rejected|refused|denied|notfound|unprocessed)$|^err(?:or)?(?:code|no|msg|message|text|description|details?|type)?$|^(?:err(?:or)?|fail(?:ed|ure)?|reject(?:ed|ion)?)reason$/;
/** With a number, it says how many. */
const COUNTED = /^(?:fail|rejected|refused|denied)/;
const VERDICT =
	/^(?:(?:http)?status(?:code|text)?|httpcode|state|result|outcome|code|type|(?:response|result|return|ret)code|responsestatus)$/;
const FAILED =
	/^(?:abort(?:ed)?|err(?:or(?:ed)?)?|fail(?:ed|ure)?|unsuccessful|rejected|refused|denied|invalid|unauthorized|forbidden|exception|fatal|nok|ko|unable|(?:can|could)\s?not|(?:ca|could)n['’]t|not[\s_-]?(?:ok|found|deleted|sent|placed))(?![a-z\d])/i;
/** The end of a verdict. */
const HAS_FAILED =
	/^(?!(?:no|not|without|0)[\s_-])[a-z\s_-]+[\s_-](?:failed|failure|error|rejected|refused|denied)$/i;
/** Of a list, it may say something else. */
const NOT_DONE = /^(?:blocked|declined|disabled|ignored|locked|skipped|suspended)\b/i;
/** In the middle of a message about one recording. */
const NOT_DELETED =
	/(?:\b(?:can)?not|n['’]t)\s+(?:be(?:en)?\s+)?(?:delete|remove|found)|\b(?:delet|remov)\w+\s+(?:has\s+)?failed|\bfailed to\b|\bunable to\b|\bnothing\b|\b(?:no|0|zero)\s+(?:such\s+)?(?:recording|record|row|file|item|session|object|entr)/i;
const MESSAGE = /^(?:message|msg|detail|details|description|reason|info|text)$/;
const NO = /^(?:no?|0|off)$/i;
const NO_FAILURE = /^(?:|0+|none|no|null|nil|ok|false|success|no[\s_-]?errors?)$/i;
/** Objects around or beside the content. Others may hold what the user has sent. */
const ENVELOPE =
	/^(?:data|results|meta|(?:response)?status|body|payload|outcome|call|message|sms|recording|content|value|reply|output|d|.*(?:result|response))$/;
/** In an answer about one thing. */
const PLURALS = /^(?:calls|messages|recordings)$/;

/**
 * What in an answer with a status of 2xx says that the request failed, such as `{ "success": false }`; `undefined` if
 * nothing does. In a list of recordings, it is looked for at the top and one level down, but not in the records. In any
 * other answer, it is also looked for in lists.
 *
 * @param method of the request: an answer to DELETE is about one recording only
 */
export function declaredFailure(answer: unknown, method: string): unknown {
	if (answer === false) return answer;
	const json = fieldsInText(answer);
	if (typeof json === 'string') {
		const text = textIn(json).replace(/^\W+/, '');
		const says =
			FAILED.test(text) ||
			/^false\b/i.test(text) ||
			(method === 'DELETE' && NOT_DELETED.test(text)) ||
			(method !== 'GET' && NOT_DONE.test(text));
		return says ? answer : undefined;
	}
	if (method !== 'GET') {
		return partsIn(json).find((part) => saysFailed(part, method));
	}
	if (Array.isArray(json) && json.length > 1) return undefined;
	const [only] = [json].flat() as unknown[];
	if (!isJsonObject(only)) return undefined;
	// The only record of a list has a status of its own.
	if (Array.isArray(json) && fewNamesIn(only).some((name) => plainName(name) === 'sessionguid')) {
		return undefined;
	}
	const inner = fewNamesIn(only).filter((name) => ENVELOPE.test(plainName(name)));
	return [only, ...inner.map((name) => only[name])]
		.filter(isJsonObject)
		.find((part) => saysFailed(part, method));
}

/** A text that holds JSON, or fields such as `success=false&code=5` or `status: failed`. */
function fieldsInText(text: unknown): unknown {
	const opened = jsonOpener()(text);
	if (opened !== text) return opened;
	const fields = textIn(text)
		.split(/[&;\r\n]+/)
		.map((one) => /^\s*([\w.-]{1,40})\s*[=:]\s*(.*)/.exec(one));
	return fields.every((one) => one !== null)
		? Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
		: text;
}

/** The objects around and beside the content, the outermost first, without what the user has sent. */
function partsIn(json: unknown): JsonObject[] {
	const values = [json];
	// The loop also visits the values that are added meanwhile.
	for (const value of values) {
		const room = Math.max(0, MAX_PARTS - values.length);
		if (Array.isArray(value)) values.push(...(value as unknown[]).slice(0, room));
		if (!isJsonObject(value)) continue;
		const names = fewNamesIn(value);
		const isAround = (name: string) =>
			[ENVELOPE, PLURALS].some((one) => one.test(plainName(name))) ||
			(names.length === 1 && !/meta|custom|request/i.test(name));
		values.push(
			...names
				.filter(isAround)
				.slice(0, room)
				.map((name) => value[name]),
		);
	}
	return values.filter(isJsonObject);
}

function saysFailed(answer: JsonObject, method: string): boolean {
	return fewNamesIn(answer).some((name) => {
		const value = answer[name];
		const plain = plainName(name).replace(/^\W+/, '');
		const says = booleanIn(value);
		if (method === 'GET' && GONE.test(plain)) return false;
		if (method === 'DELETE') {
			const isNone = [0, '0'].includes(value as number) || (Array.isArray(value) && !value[0]);
			if (DELETED.test(plain) && isNone) return true;
			if (plain === 'found' && says === false) return true;
			if ([MESSAGE, VERDICT].some((one) => one.test(plain)) && NOT_DELETED.test(textIn(value)))
				return true;
		}
		if (SUCCESS.test(plain))
			return (
				says === false ||
				(NO.test(textOf(value)) && !(value === 0 && /accepted|sent|placed/.test(plain)))
			);
		if (FAILURE.test(plain))
			return says ?? (isSomething(value) && !(COUNTED.test(plain) && typeof value === 'number'));
		if (!VERDICT.test(plain)) return false;
		const text = textOf(value);
		return (
			says === false ||
			/^(?:[45]\d\d|-\d+)$/.test(text) ||
			FAILED.test(text) ||
			HAS_FAILED.test(text) ||
			(method !== 'GET' && NOT_DONE.test(text))
		);
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
