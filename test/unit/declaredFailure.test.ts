import { declaredFailure } from '../../nodes/service/declaredFailure';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

describe('says that it failed', () => {
	test.each<[unknown]>([
		[{ success: false, data: [] }],
		[{ Success: 'False' }],
		[{ success: 0 }],
		[{ isSuccess: false }],
		[{ is_successful: false }],
		[{ ok: false }],
		[{ deleted: false }],
		[{ deleted: 0 }],
		[{ accepted: false, sessionGuid: GUID }],
		[{ status: false }],
		[{ status: 'error', recordings: [] }],
		[{ status: 'FAILED', sessionGuid: GUID }],
		[{ Status: 'Failure' }],
		[{ status: 'rejected' }],
		[{ result: 'error' }],
		[{ type: 'error' }],
		[{ code: 500, data: null }],
		[{ statusCode: '404' }],
		[{ status: 503 }],
		[{ code: 'ERROR' }],
		[{ error: 'database is down' }],
		[{ error: true }],
		[{ error: { message: 'no' } }],
		[{ hasErrors: true }],
		[{ errors: [{ message: 'no credit' }] }],
		[{ errors: ['no credit'], data: { recordings: [] } }],
		[{ errorMessage: 'no credit' }],
		[{ error_code: 17 }],
		[{ exception: 'NullReferenceException' }],
		[{ failed: 1, deleted: 0 }],
		[{ result: { success: false } }],
		[{ meta: { status: 'error' }, data: [] }],
		[{ data: { error: 'no credit' } }],
		[{ response: { code: 500 } }],
		[{ call: { sessionGuid: GUID, status: 'failed' } }],
		[{ status: { code: 'error', message: 'no' } }],
		[[{ success: false, message: 'no credit' }]],
		[false],
		['false'],
		['ERROR: no credit'],
		['Failed'],
	])('%j', (json) => expect(declaredFailure(json)).toBeDefined());
});

describe('does not say that it failed', () => {
	test.each<[unknown]>([
		[undefined],
		[null],
		[{}],
		[[]],
		['OK'],
		['Failover is on'],
		[''],
		[true],
		[5],
		[{ success: true, error: null, errors: [], message: 'Deleted' }],
		[{ status: 'completed' }],
		[{ status: 'queued', sessionGuid: GUID, to: '+15550100' }],
		[{ status: 'no-answer' }],
		[{ status: 200, code: 0, message: 'errors: none' }],
		[{ statusCode: 202 }],
		[{ code: 'OK', error: '' }],
		[{ error: false, hasErrors: false, errorCode: 0, errorMessage: null }],
		[{ error: {}, errors: {} }],
		[{ error: 'none' }],
		[{ errorCount: 0, failed: 0, failures: [] }],
		[{ deleted: true, sessionGuid: GUID }],
		[{ deleted: 1 }],
		[{ result: 'deleted' }],
		[{ result: null }],
		[{ encrypted: false, recorded: false, queued: false }],
		[{ warnings: ['slow'] }],
		[{ metadata: { error: 'of the user', status: 'failed' } }],
		[{ recordings: [{ sessionGuid: GUID, status: 'failed', error: 'cut' }] }],
		[[{ sessionGuid: GUID, status: 'failed' }]],
		[[{ sessionGuid: GUID }, { success: false }]],
		[{ [GUID]: { status: 'failed' } }],
		[{ length: 500, limit: 500 }],
		[{ status: { toString: null } }],
		[{ status: [{ toString: 'error' }], code: ['500'] }],
	])('%j', (json) => expect(declaredFailure(json)).toBeUndefined());
});

test('what says so is told', () => {
	const inner = { success: false, message: 'no credit' };
	expect(declaredFailure({ id: 1, result: inner })).toBe(inner);
});
