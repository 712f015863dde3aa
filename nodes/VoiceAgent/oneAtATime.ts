let last: Promise<unknown> = Promise.resolve();

/** Asks n8n to remember something. It reads all entries, then writes all: of two requests at once, one would be lost. */
export async function oneAtATime<T>(request: () => Promise<T>): Promise<T> {
	const result = last.then(request);
	last = result.catch(() => undefined);
	return await result;
}
