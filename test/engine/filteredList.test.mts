/** Query parameters of the credential may hide a recording from the list that is still there. */
import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { inRecording } from './oneRecording.mts';
import { failure } from './outcome.mts';
import { ownService, type Reply } from './ownService.mts';

const engine = await sharedEngine();

const WANTED = 'call-20261121-w';
const OTHER = 'call-20261121-x';
const ANOTHER = 'call-20261121-y';
const list = (...sessionGuids: string[]): Reply => ({
	body: sessionGuids.map((sessionGuid) => ({ sessionGuid })),
});

const withPending = (sessionGuid: unknown): Reply => ({
	body: { recordings: [{ sessionGuid: OTHER }], pending: [{ sessionGuid }, { id: 1 }] },
});

/**
 * Asks a service for a recording that it denies: it answers each request about one recording with
 * 404, as a gateway without a route for it does.
 *
 * @returns `gone`, or the failure
 */
async function asked(
	t: TestContext,
	operation: string,
	queryParameters: string,
	listed: (query: URLSearchParams) => Reply,
	status = 404,
) {
	const answer = ({ path, query }: { path: string; query: URLSearchParams }) =>
		path.endsWith('/recordings')
			? listed(query)
			: { status, body: { message: `no route ${path}` } };
	const { run } = await ownService(t, engine, answer, { queryParameters });
	const execution = await run({
		parameters: inRecording(operation, { recording: byGuid(WANTED) }),
		settings: { onError: 'continueRegularOutput' },
	});
	const isGone = execution.items(NODE)[0]?.json.deleted === true;
	return isGone ? 'gone' : failure(execution);
}

const tenant = (query: URLSearchParams) => (query.has('tenant') ? list(WANTED) : list(OTHER));

const gone = /^(?:gone|recordingGone: )/;
interface Listed {
	name: string;
	queryParameters?: string;
	listed: (query: URLSearchParams) => Reply;
	outcome: RegExp;
}
const cases: Listed[] = [
	{
		name: 'an account whose list has it',
		queryParameters: 'tenant=42',
		listed: tenant,
		outcome: /^(?:stillListed|recordingNotReady): .* with status 404\./,
	},
	{
		name: 'an account whose list does not have it',
		queryParameters: 'tenant=42',
		listed: () => list(OTHER),
		outcome: gone,
	},
	{
		name: 'another list that has it',
		listed: () => withPending(WANTED),
		outcome: /^maybeGone: .*but not in the list/,
	},
	{ name: 'another list with something else', listed: () => withPending(7), outcome: gone },
	{
		name: 'a page that is full',
		queryParameters: 'limit=2',
		listed: () => list(OTHER, ANOTHER),
		outcome: /^maybeGone: .*page is full/,
	},
];

suite(
	'a recording that the service denies, and a list with query parameters of the credential',
	() => {
		for (const { name, queryParameters = '', listed, outcome } of cases) {
			for (const operation of ['delete', 'download']) {
				test(`${operation}: ${name}`, async (t) => {
					assert.match(await asked(t, operation, queryParameters, listed), outcome);
				});
			}
		}

		test('delete: a filter may hide it, so another failure than 404 is reported', async (t) => {
			const filtered = await asked(t, 'delete', 'status=new', () => list(OTHER), 500);
			assert.match(filtered, /^serverError: /);
			assert.match(await asked(t, 'delete', '', () => list(OTHER), 500), gone);
		});
	},
);
