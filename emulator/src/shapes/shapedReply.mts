/** A status and, unless the body is empty, a body for JSON. */
export interface ShapedReply {
	status: number;
	body?: unknown;
}

/** Shapes such as `202-empty`: a status, and whether there is a body. */
export function replyOf(shape: string, body: unknown): ShapedReply {
	const [status, rest] = shape.split('-');
	return { status: Number(status), ...(rest !== 'empty' && { body }) };
}
