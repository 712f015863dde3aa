/* What is recognized in texts. */

export const URL_TEXT = /(?<![a-z\d+.-])[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'<>]+/i;
export const EMAIL = /(?<![^\s"'<>@:;,])[^\s"'<>@:;,]{1,64}@[^\s"'<>@;,]+/;
export const GUID = /(?<![\da-z])[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}(?![\da-z])/i;
export const HEX = /(?<![\da-z])(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,}(?![\da-z])/i;
export const IP_V6 = /(?<![\da-z:])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\da-z:])/i;
export const IP_V4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/;
export const DOTNET_TIME = /\/Date\(-?\d+/;
export const PHONE = /(?:\+|(?<!\d)00)[1-9][\d\s().\-/]{4,}\d/;
/** Words, numbers, and single characters of anything but ASCII. */
export const TOKEN = /[\p{L}\p{M}]+|\p{N}+|[^\p{ASCII}]/gu;
export const PERCENT = /%[\da-f]{2}/i;

/** @returns `undefined` if it is none */
export function jsonIn(text: string): unknown {
	if (!/^\s*[[{"]/.test(text)) return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** @returns `undefined` if it is none */
export function decodedText(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}
