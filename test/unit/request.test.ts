import { declaresFailure } from '../../nodes/service/http/request';

const judge = (json: unknown, method = 'POST', status = 200, type = 'application/json') =>
	declaresFailure({ status, headers: { 'content-type': type } }, json, method);

describe('an answer with 2xx says that the request failed', () => {
	test.each([
		{ success: false },
		{ ok: false, data: {} },
		{ isSuccess: false },
		{ succeeded: false },
		{ error: 'no credit' },
		{ error: true },
		{ error: { code: 17 } },
		{ error: { code: 17, message: '' } },
		{ error: { message: 'no credit' } },
		{ error: { type: 'credit', code: 'no_credit' } },
		{ errors: ['no credit'] },
		{ errors: [{ detail: 'no credit' }] },
		{ errors: { to: ['is missing'] } },
	])('%j', (json) => expect(judge(json)).toBe(true));

	test('by its status, or by the type of its content', () => {
		expect(judge(undefined, 'DELETE', 207)).toBe(true);
		expect(judge({}, 'GET', 200, 'application/problem+json; charset=utf-8')).toBe(true);
	});
});

describe('an answer with 2xx does not say that the request failed', () => {
	test.each([
		undefined,
		'Error: no credit',
		false,
		[{ success: false }],
		{ success: true, error: { code: 0, message: '' }, data: {} },
		{ error: { code: 0, message: 'OK' } },
		{ error: null, errors: [] },
		{ error: '', errors: {} },
		{ error: 0 },
		{ error: '0' },
		{ error: { code: '0', message: 'OK' } },
		{ error: false },
		{ success: 'false' },
		{ status: 'failed' },
		{ recording: { success: false } },
		{ message: '2 of 5 calls were recorded' },
	])('%j', (json) => expect(judge(json)).toBe(false));

	test('by `deleted: false`, unless it is the answer to DELETE', () => {
		expect(judge({ deleted: false }, 'POST')).toBe(false);
		expect(judge({ deleted: false }, 'DELETE')).toBe(true);
		expect(judge({ deleted: 0 }, 'DELETE')).toBe(false);
	});
});
