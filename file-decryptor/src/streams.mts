/**
 * Standard output and error, for everything that is written there. A reader such as `head` may close them early. Without
 * a listener, that would end the process with a stack trace. They are set up on first use, because that takes time.
 */
export function standardOutput(): NodeJS.WriteStream {
	return tolerant(process.stdout);
}

export function standardError(): NodeJS.WriteStream {
	return tolerant(process.stderr);
}

function tolerant(stream: NodeJS.WriteStream): NodeJS.WriteStream {
	if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore);
	return stream;
}

function ignore(): void {}
