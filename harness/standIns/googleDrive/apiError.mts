/** A refusal of Google's APIs, in the form that it is sent. */
export class ApiError extends Error {
	readonly status: number;
	readonly body: object;

	constructor(status: number, message: string, reason: string) {
		super(message);
		this.status = status;
		this.body = {
			error: { code: status, message, errors: [{ message, domain: 'global', reason }] },
		};
	}
}
