/** RFC 9110, token. */
export function isHeaderName(name: unknown): name is string {
	return typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/**
 * All values of a header.
 * @param rawHeaders names and values in turn, as they arrived; other forms hide that a header occurs twice
 */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
	const wanted = name.toLowerCase();
	return rawHeaders.filter(
		(_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted,
	);
}

/** The value of a header that occurs exactly once. */
export function onlyHeader(rawHeaders: readonly string[], name: string): string | undefined {
	const values = headerValues(rawHeaders, name);
	return values.length === 1 ? values[0] : undefined;
}
