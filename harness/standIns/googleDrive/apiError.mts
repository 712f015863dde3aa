/** Refusals of Google's APIs, in the form that they are sent. */

export class ApiError extends Error {
	readonly status: number;
	readonly body: object;

	constructor(
		status: number,
		message: string,
		detail: { reason: string; message?: string; location?: string; locationType?: string },
		more: object = {},
	) {
		super(message);
		this.status = status;
		const errors = [{ message, domain: 'global', ...detail }];
		this.body = { error: { code: status, message, errors, ...more } };
	}
}

export const fileNotFound = (id: string) =>
	new ApiError(404, `File not found: ${id}.`, {
		reason: 'notFound',
		location: 'fileId',
		locationType: 'parameter',
	});

export const invalidParameter = (name: string, message = 'Invalid Value', reason = 'invalid') =>
	new ApiError(400, message, { reason, location: name, locationType: 'parameter' });

export const badRequest = (message: string) => new ApiError(400, message, { reason: 'badRequest' });

export const unauthenticated = () =>
	new ApiError(
		401,
		'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie ' +
			'or other valid authentication credential. See ' +
			'https://developers.google.com/identity/sign-in/web/devconsole-project.',
		{
			message: 'Invalid Credentials',
			reason: 'authError',
			location: 'Authorization',
			locationType: 'header',
		},
		{ status: 'UNAUTHENTICATED' },
	);

/** What Google says with a status when nothing is wrong with the request. */
export function orderedError(status: number): ApiError {
	const [reason, message] = usualReasons[status] ?? ['backendError', 'Internal Error'];
	return new ApiError(status, message, { reason });
}

const usualReasons: Record<number, [string, string]> = {
	401: ['authError', 'Invalid Credentials'],
	403: ['storageQuotaExceeded', "The user's Drive storage quota has been exceeded."],
	404: ['notFound', 'Not Found'],
	429: ['rateLimitExceeded', 'Rate Limit Exceeded'],
	503: ['backendError', 'Service Unavailable'],
};
