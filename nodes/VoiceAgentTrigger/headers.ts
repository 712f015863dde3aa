/** RFC 9110, token. */
export function isHeaderName(name: unknown): name is string {
	return typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/**
 * The value of a header that occurs exactly once.
 * @param rawHeaders names and values in turn, as they arrived; other forms hide that a header occurs twice
 */
export function onlyHeader(rawHeaders: readonly string[], name: string): string | undefined {
	const wanted = name.toLowerCase();
	const values = rawHeaders.filter(
		(_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted,
	);
	return values.length === 1 ? values[0] : undefined;
}
