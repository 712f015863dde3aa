/**
 * A refusal that is meant for the caller: it becomes the JSON body
 * `{ error: { code, message, fields? } }` with the given status.
 */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly status: number;
	readonly code: string;
	/** Names of the request fields that were refused, if the refusal is about fields. */
	readonly fields: readonly string[] | undefined;

	constructor(status: number, code: string, message: string, fields?: readonly string[]) {
		super(message);
		this.status = status;
		this.code = code;
		this.fields = fields;
	}
}

/** What a refusal says. */
export type Refusal = Pick<ServiceError, 'status' | 'code' | 'message'> &
	Partial<Pick<ServiceError, 'fields'>>;

/** The emulator did not start: its options are wrong, or it cannot use its port or data folder. */
export class StartError extends Error {
	override readonly name = 'StartError';
}

export function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	// undici and fetch put the reason ("connect ECONNREFUSED …") into the cause.
	const cause = error.cause instanceof Error ? error.cause.message : '';
	return [error.message || error.name, cause].filter(Boolean).join(': ');
}
