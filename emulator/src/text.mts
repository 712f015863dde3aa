/** Whether a text is as a pattern says, in which `*` stands for any text. */
export function fitsPattern(text: string, pattern: string): boolean {
	const escaped = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
	return new RegExp(`^${escaped.join('.*')}$`, 's').test(text);
}
