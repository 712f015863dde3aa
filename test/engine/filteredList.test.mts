/**
 * More Query Parameters may filter the list, so that a recording which is still there is not in it.
 */
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
 * A service that answers each request about one recording with 404, as a gateway without a route
 * for it does.
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
	const isGone = execution.items(NODE)[0]?.json.alreadyGone === true;
	return isGone ? 'gone' : failure(execution);
}

const tenant = (query: URLSearchParams) => (query.has('tenant') ? list(WANTED) : list(OTHER));

const gone = /^(?:gone|recordingGone: )/;
const cases: Array<[string, string, (query: URLSearchParams) => Reply, outcome: RegExp]> = [
	[
		'an account that has it',
		'tenant=42',
		tenant,
		/^(?:stillListed|recordingNotReady): .* with status 404\./,
	],
	['an account that does not have it', 'tenant=42', () => list(OTHER), gone],
	['another list that has it', '', () => withPending(WANTED), /^maybeGone: .*but not in the list/],
	['another list with something else', '', () => withPending(7), gone],
	['a page that is full', 'limit=2', () => list(OTHER, ANOTHER), /^maybeGone: .*page is full/],
];

suite(
	'a recording that the service denies, and a list with query parameters of the credential',
	() => {
		for (const [name, queryParameters, listed, expected] of cases) {
			for (const operation of ['delete', 'download']) {
				test(`${operation}, ${name}`, async (t) => {
					assert.match(await asked(t, operation, queryParameters, listed), expected);
				});
			}
		}

		test('another failure, and a filter that may hide it: the failure', async (t) => {
			const filtered = await asked(t, 'delete', 'status=new', () => list(OTHER), 500);
			assert.match(filtered, /^serverError: /);
			assert.match(await asked(t, 'delete', '', () => list(OTHER), 500), gone);
		});
	},
);
