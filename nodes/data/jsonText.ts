/** A member of an object, as it is written in JSON. */
export interface Member {
	name: string;
	/** The name in quotation marks, and the colon, with the white space around them. */
	label: string;
	/** With the white space around it. */
	value: string;
}

/** An escaped character, or one that may begin or end a value. */
const MARK = /\\.|["{}[\],:]/gs;

/**
 * Changes some members of an object in its JSON text. The text of the others stays, because JSON
 * that is parsed and written again can change: long numbers, names that occur twice, escapes, the
 * order of names that are numbers, white space.
 *
 * @param object text that `JSON.parse` takes for an object
 * @param change makes the texts of the new members from the old members
 */
export function changeMembers(object: string, change: (members: Member[]) => string[]): string {
	const { begin, end } = contentOf(object);
	return object.slice(0, begin) + change(membersOf(object)).join(',') + object.slice(end);
}

/**
 * The members of an object, in their order, also those that have the same name.
 *
 * @param object text that `JSON.parse` takes for an object
 */
export function membersOf(object: string): Member[] {
	const { begin, end } = contentOf(object);
	return membersIn(object.slice(begin, end));
}

/** Where the text between the braces of an object begins and ends. */
function contentOf(object: string): { begin: number; end: number } {
	return { begin: object.indexOf('{') + 1, end: object.lastIndexOf('}') };
}

/** The member as it was. */
export function textOf({ label, value }: Member): string {
	return label + value;
}

/** @param content the text between the braces of an object */
function membersIn(content: string): Member[] {
	const members: Member[] = [];
	let isInText = false;
	let depth = 0;
	let start = 0;
	/** Where the value of the current member begins. */
	let valueStart: number | undefined;

	function endMember(end: number): void {
		// An object without members may have white space.
		if (valueStart === undefined) return;
		const label = content.slice(start, valueStart);
		const name = JSON.parse(label.slice(0, -1)) as string;
		members.push({ name, label, value: content.slice(valueStart, end) });
		start = end + 1;
		valueStart = undefined;
	}

	for (const { 0: mark, index } of content.matchAll(MARK)) {
		if (mark === '"') isInText = !isInText;
		if (isInText) continue;
		if (mark === '{' || mark === '[') depth += 1;
		if (mark === '}' || mark === ']') depth -= 1;
		if (depth > 0) continue;
		if (mark === ':') valueStart = index + 1;
		if (mark === ',') endMember(index);
	}
	endMember(content.length);
	return members;
}
