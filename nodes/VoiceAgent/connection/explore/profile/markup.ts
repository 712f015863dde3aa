import { looksLikeData } from './fieldNames';

/** The start of an element. An address in angle brackets goes on: `<anna@…>`. */
const TAG = /(<[/!?]?[A-Za-z][\w:.-]*(?=[\s/>]))/;

/** A web page or XML: names of elements, and everything between them. */
export function partsOfMarkup(text: string): Array<{ part: string; isName: boolean }> {
	const isName = (tag: string) => {
		const name = tag.replace(/^\W+/, '');
		const [prefix, ...others] = name.split(':');
		// XML declares what stands before a colon. In `<sip:anna>`, it is the start of an address.
		const isDeclared = others.length === 0 || text.includes(`xmlns:${prefix}=`);
		return isDeclared && !looksLikeData(name);
	};
	return text.split(TAG).map((part, index) => ({ part, isName: index % 2 === 1 && isName(part) }));
}
