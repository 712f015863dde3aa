import { declaredFailure } from '../../nodes/service/http/declaredFailure';

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
		[{ rejected: true, reason: 'no credit' }],
		[{ call: { denied: 'not allowed' } }],
		[{ errno: 5 }],
		[{ resultCode: '-1' }],
		[{ returnCode: 500 }],
		[{ status: -3 }],
		[{ meta: { status: 'error' }, data: [] }],
		[{ data: { error: 'no credit' } }],
		[{ response: { code: 500 } }],
		[{ call: { sessionGuid: GUID, status: 'failed' } }],
		[{ status: { code: 'error', message: 'no' } }],
		[[{ success: false, message: 'no credit' }]],
		[{ success: 'no' }],
		[{ ok: '0' }],
		[{ deleted: 'No' }],
		[{ status: 'error: no credit' }],
		[{ status: 'unsuccessful' }],
		[{ status: 'not ok' }],
		[{ code: 'ERR_NO_CREDIT' }],
		[{ makeCallResponse: { success: false } }],
		[{ content: { success: false } }],
		['NOK'],
		['aborted'],
		['not deleted'],
		[false],
		['false'],
		['ERROR: no credit'],
		['Failed'],
		['** ERROR **'],
		[{ sent: 'no' }],
		[{ success: 'n' }],
		[{ isError: true }],
		[{ fault: 'of the line' }],
		[{ failure: 'of the line' }],
		[{ failures: ['of the line'] }],
		[{ err: 'no credit' }],
		[{ errorDetail: 'no credit' }],
		[{ status: 'not_found' }],
		[{ status: 'notFound' }],
		['abort'],
		['failure'],
		[{ failed: 'disk full' }],
		[{ errors: ['', 'no credit'] }],
		[{ fail: true }],
		[{ hasFailed: 1 }],
		[{ status: 'fail' }],
		[{ status: ' failed ' }],
		['cannot'],
		[{ code: -12 }],
		[{ '@@status': 'failed' }],
		['message=x\r\n\r\nsuccess=false'],
		[{ failureReason: 'no credit' }],
		[{ errorReason: 'no credit' }],
		[{ rejection_reason: 'no credit' }],
		[{ error_type: 'billing' }],
		[{ status: 'call_failed' }],
		[{ status: 'Internal Server Error' }],
		[{ call: { state: 'request rejected' } }],
		['status : failed'],
	])('%j', (json) => {
		expect(declaredFailure(json, 'POST')).toBeDefined();
		expect(declaredFailure(json, 'DELETE')).toBeDefined();
	});

	test.each<[unknown]>([
		[{ success: false, data: [] }],
		[{ status: 'failed', sessionGuid: GUID }],
		[[{ success: false }]],
		[{ error: 'no credit', data: { recordings: [] } }],
		[{ data: { success: false }, other: 1 }],
		['status: failed'],
		[{ ResponseStatus: { ErrorCode: 'Timeout' }, Results: [] }],
		[{ status: 'Internal Server Error', recordings: [] }],
	])('in a list: %j', (json) => expect(declaredFailure(json, 'GET')).toBeDefined());

	test('of many parts in an answer, a hundred are read', () => {
		const fine = (count: number) => Array.from({ length: count }, () => ({}));
		const named = (parts: object[]) =>
			Object.fromEntries(parts.map((part, index) => [`a${index}result`, part]));
		const failed = { success: false };
		for (const around of [(parts: object[]): object => parts, named]) {
			expect(declaredFailure(around([...fine(98), failed]), 'POST')).toBe(failed);
			expect(declaredFailure(around([...fine(99), failed]), 'POST')).toBeUndefined();
		}
	});

	test.each<[unknown]>([
		['{"success":false}'],
		['success=false'],
		['status=error&message=x'],
		['Status: failed'],
		['Could not place the call'],
		['Unable to comply'],
		["can't"],
		[{ '@status': 'error' }],
		[{ http_code: 500 }],
		[{ data: { makeCall: { success: false } } }],
		[{ MakeCallResult: { Status: { Code: 'ERR_NO_CREDIT' } } }],
		[{ results: [{ success: false }] }],
		[[{ success: true }, { success: false }]],
		[{ messages: [{ status: 'rejected' }] }],
		[{ notFound: true }],
		[{ status: 'blocked' }],
		[{ state: 'LOCKED' }],
		[{ call: { status: 'declined' } }],
		['Blocked by the account'],
	])('in an answer about one thing: %j', (json) => {
		expect(declaredFailure(json, 'POST')).toBeDefined();
		expect(declaredFailure(json, 'DELETE')).toBeDefined();
	});

	test.each<[unknown]>([
		[{ deletedCount: 0 }],
		[{ affected_rows: 0 }],
		[{ acknowledged: true, deletedCount: 0 }],
		[{ numberOfDeleted: '0' }],
		[{ deletedRecordings: [] }],
		[{ found: false }],
		[{ unprocessed: [GUID] }],
		[{ recordings: [{ sessionGuid: GUID, deleted: false }] }],
		[{ message: 'Recording could not be deleted' }],
		[{ message: 'Cannot delete recording' }],
		[{ message: 'The recording cannot be deleted' }],
		[{ status: 'deletion failed' }],
		[{ result: 'The recording cannot be deleted' }],
		[{ message: 'Deletion failed' }],
		[{ message: 'Deletion  has  failed' }],
		[{ message: 'It could not  be  deleted' }],
		[{ operationsAffected: 0 }],
		[{ data: { message: 'Failed to delete' } }],
		[{ detail: "The recording wasn't found" }],
		[{ message: 'No recording was deleted' }],
		[{ message: '0 recordings deleted' }],
		['No such recording'],
		['Nothing to delete'],
		[{ deleted: { count: 0 } }],
		[{ n: 0, ok: 1 }],
	])('nothing was deleted: %j', (json) => expect(declaredFailure(json, 'DELETE')).toBeDefined());
});

describe('does not say that it failed', () => {
	test.each<[unknown]>([
		[undefined],
		[null],
		[{}],
		[[]],
		['OK'],
		['Failover is on'],
		['No content'],
		['Falsehood'],
		['It is false'],
		['It failed'],
		[{ lastSuccess: false }],
		[{ successor: false }],
		[{ noError: 'x' }],
		[{ errorless: 'x' }],
		[{ errorCodes: 'x' }],
		[{ realState: 'failed' }],
		[{ statement: 'failed' }],
		[{ success: 'piano' }],
		[{ success: 'nobody' }],
		[{ error: '000' }],
		[{ failureReason: null }],
		[{ errorReason: 'none' }],
		[{ reason: 'no credit' }],
		[{ status: 'no error' }],
		[{ code: 'NO_ERROR' }],
		[{ status: 'not rejected' }],
		[{ ResponseStatus: {} }],
		[{ error: 'no error' }],
		[{ error: 'noErrors' }],
		[{ status: '1500' }],
		[{ status: '5000' }],
		[{ failed: 3, deleted: 5 }],
		[{ sent: 0 }],
		[{ errors: [null, ''] }],
		[{ type: 'errorless' }],
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
		[{ rejected: 2, denied: false, refused: [] }],
		[{ errno: 0, resultCode: 0, retcode: '1' }],
		[{ result: null }],
		[{ encrypted: false, recorded: false, queued: false }],
		[{ warnings: ['slow'] }],
		[{ metadata: { error: 'of the user', status: 'failed' } }],
		[{ length: 500, limit: 500 }],
		[{ status: { toString: null } }],
		[{ status: [{ toString: 'error' }], code: ['500'] }],
		[{ foundation: { success: false }, id: 1 }],
		[{ missedCalls: [{ status: 'failed' }], id: 1 }],
		[{ callsBefore: [{ status: 'failed' }], id: 1 }],
		[{ 'sta.tus': 'failed' }],
		[{ deletedCount: 0 }],
		[{ error: ' none ' }],
		[{ errors: [...Array.from({ length: 1_000 }, () => null), 'no credit'] }],
		['Hello; success=false'],
		['It is not that success=false'],
		[{ failureReasonable: 'x' }],
		[{ lastFailureReason: 'no credit' }],
		[{ status: 'login failed before' }],
		['Number was blocked once'],
	])('%j', (json) => {
		for (const method of ['GET', 'POST']) expect(declaredFailure(json, method)).toBeUndefined();
	});

	test.each<[unknown]>([
		[[{ success: false }, { success: true }]],
		[{ recordings: [{ sessionGuid: GUID, status: 'failed', error: 'cut' }] }],
		[[{ sessionGuid: GUID, status: 'failed' }]],
		[[{ sessionGuid: GUID }, { success: false }]],
		[{ [GUID]: { status: 'failed' } }],
		[{ recordings: [{ sessionGuid: GUID }], deleted: 0 }],
		[{ recordings: [], removed: 0 }],
		[{ state: 'locked', recordings: [] }],
		[{ count: 0, recordings: [] }],
		[{ message: 'No recordings found', recordings: [] }],
		['skipped'],
		['Recording cannot be deleted'],
	])('in a list: %j', (json) => expect(declaredFailure(json, 'GET')).toBeUndefined());

	test.each<[unknown]>([
		[{ deletedCount: 1 }],
		[{ discount: 0 }],
		[{ notes: [] }],
		[{ country: 0 }],
		[{ affectedRows: 1 }],
		[{ message: 'Recording deleted' }],
		[{ message: 'Deleted. This cannot be undone.' }],
		[{ deletedAt: 0, state: 'deleted' }],
		[{ status: 'queued', found: true }],
		['Deleted'],
		['10 recordings deleted'],
		[{ message: 'Deleted, no errors' }],
		[{ n: 1, ok: 1 }],
		['deleted=1'],
		[{ data: { deleteRecording: true } }],
		[{ encrypted: false }],
		[{ customMessage: 'Not found' }],
		[{ messageId: 'Not found' }],
		[{ message: `${'x'.repeat(1_000)} not found` }],
	])('it was deleted: %j', (json) => expect(declaredFailure(json, 'DELETE')).toBeUndefined());
});

test('what says so is told', () => {
	const inner = { success: false, message: 'no credit' };
	expect(declaredFailure({ id: 1, result: inner }, 'POST')).toBe(inner);
});

test.each<[unknown]>([
	[{ errReason: 'no credit' }],
	[{ failReason: 'no credit' }],
	[{ rejectReason: 'no credit' }],
	[{ rejectionReason: 'no credit' }],
	[{ status: { error: 'no credit' } }],
	[{ responseStatus: { error: 'no credit' } }],
])('in an answer to GET, its reason: %j', (json) =>
	expect(declaredFailure(json, 'GET')).toBeDefined(),
);

test('what only an answer to DELETE says', () => {
	for (const text of ['There is nothing to add', 'No  such  recording']) {
		expect(declaredFailure(text, 'POST')).toBeUndefined();
		expect(declaredFailure(text, 'DELETE')).toBe(text);
	}
});
