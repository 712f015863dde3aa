/**
 * A line for a shell that goes on as `exec docker run --name "$name" …`. If Docker's client is
 * killed, the container would go on, so another process watches the client.
 */
export const END_WITH_CLIENT =
	'setsid sh -c "while kill -0 $$ 2>/dev/null; do sleep 0.2; done; docker kill $name >/dev/null 2>&1 || true" &';
