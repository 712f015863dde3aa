import { type ErrorBody } from '../schema.mts';
import type { Shapes } from '../shapes/unknowns.mts';

export interface Refusal {
	status: number;
	code: string;
	message: string;
	fields?: readonly string[] | undefined;
}

/** @returns the body, and its type if the route's serializer cannot write it */
export function errorBody(
	{ status, code, message, fields }: Refusal,
	shape: Shapes['errorBody'],
): { body: unknown; contentType?: string } {
	const detail = { code, message, ...(fields?.length && { fields: [...fields] }) };
	switch (shape) {
		case 'nested':
			return { body: { error: detail } satisfies ErrorBody };
		case 'flat':
			return { body: detail, contentType: 'application/json; charset=utf-8' };
		case 'problem':
			// RFC 9457, which .NET services use.
			return {
				body: { type: 'about:blank', title: code, status, detail: message },
				contentType: 'application/problem+json',
			};
		case 'text':
			return { body: message, contentType: 'text/plain; charset=utf-8' };
		case 'html':
			return {
				body: `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`,
				contentType: 'text/html; charset=utf-8',
			};
		case 'empty':
			return { body: '', contentType: 'text/plain; charset=utf-8' };
	}
}
