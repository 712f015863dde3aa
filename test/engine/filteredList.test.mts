/** More Query Parameters may filter the list, so that a recording which is still there is not in it. */
import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { failure } from './outcome.mts';
import { ownService, type Reply } from './ownService.mts';

const engine = await sharedEngine();

const WANTED = 'call-20261121-w';
const OTHER = 'call-20261121-x';
const ANOTHER = 'call-20261121-y';
const list = (...sessionGuids: string[]): Reply => ({
	body: sessionGuids.map((sessionGuid) => ({ sessionGuid })),
});

/** A service that answers each request about one recording with 404, as a gateway without a route for it does. */
async function asked(
	t: TestContext,
	operation: string,
	queryParameters: string,
	listed: (query: URLSearchParams) => Reply,
	parameters: Record<string, unknown> = {},
) {
	const answer = ({ path, query }: { path: string; query: URLSearchParams }) =>
		path.endsWith('/recordings')
			? listed(query)
			: { status: 404, body: { message: `no route ${path}` } };
	const { voiceAgentApi, requests } = await ownService(t, engine, answer, { queryParameters });
	const execution = await engine.runNode({
		parameters: {
			resource: 'recording',
			operation,
			recording: byGuid(WANTED),
			...parameters,
		},
		credentials: { voiceAgentApi },
		settings: { onError: 'continueRegularOutput' },
	});
	const isGone = execution.items(NODE)[0]?.json.alreadyGone === true;
	return {
		outcome: isGone ? 'gone' : failure(execution),
		hints: execution.hints(NODE),
		lists: requests.filter(({ path }) => path.endsWith('/recordings')).map(({ query }) => query),
	};
}

const filter = (query: URLSearchParams) =>
	query.has('status') ? list(OTHER) : list(OTHER, WANTED);
const tenant = (query: URLSearchParams) => (query.has('tenant') ? list(WANTED) : list(OTHER));

const cases: Array<[string, string, (query: URLSearchParams) => Reply, outcome: RegExp]> = [
	['a filter that hides it', 'status=new', filter, /^stillListed: /],
	['an account that has it', 'tenant=42', tenant, /^stillListed: /],
	[
		'an account that does not have it',
		'tenant=42',
		(query) => (query.has('tenant') ? list(OTHER) : list(ANOTHER)),
		/^(?:gone|recordingGone: )/,
	],
	[
		'parameters without which there is no list',
		'tenant=42',
		(query) => (query.has('tenant') ? list(OTHER) : { status: 400, body: { message: 'no' } }),
		/^maybeGone: .*'More Query Parameters'/,
	],
	[
		'a filter that hides another one',
		'status=new',
		(query) => (query.has('status') ? list() : list(OTHER)),
		/^(?:gone|recordingGone: )/,
	],
	[
		'a list that is cut off without the parameters',
		'status=new',
		(query) =>
			query.has('status') ? list() : { body: { data: [{ sessionGuid: OTHER }], hasMore: true } },
		/^maybeGone: /,
	],
	[
		'an account and a filter that hides it',
		'tenant=42&status=new',
		(query) => (query.has('tenant') ? list(OTHER) : list(ANOTHER)),
		/^maybeGone: .*'More Query Parameters'/,
	],
	[
		'an account and a filter that hides all',
		'tenant=42&status=new',
		() => list(),
		/^maybeGone: .*'More Query Parameters'/,
	],
	[
		'several that hide another one',
		'view=full&status=new',
		(query) => (query.has('status') ? list(OTHER) : list(OTHER, ANOTHER)),
		/^(?:gone|recordingGone: )/,
	],
	['a page size', 'pageSize=500', () => list(OTHER), /^(?:gone|recordingGone: )/],
	['a page that is full', 'limit=2', () => list(OTHER, ANOTHER), /^maybeGone: .*the page is full/],
];

suite('a recording that is not in a list with query parameters of the credential', () => {
	for (const [name, queryParameters, listed, expected] of cases) {
		for (const operation of ['delete', 'download']) {
			test(`${operation}, ${name}`, async (t) => {
				const { outcome } = await asked(t, operation, queryParameters, listed);
				assert.match(outcome, expected);
			});
		}
	}

	test('a page size needs no second list', async (t) => {
		const { lists } = await asked(t, 'delete', '$top=500', () => list(OTHER));
		assert.deepEqual(lists.map(String), ['%24top=500']);
	});

	test('Wait Until Available', async (t) => {
		const options = { waitUntilAvailable: 1 };
		const { outcome } = await asked(t, 'download', 'status=new', filter, { options });
		assert.match(outcome, /^recordingNotReady: /);
	});

	test('Delete with proof, of what was not downloaded', async (t) => {
		const proof = { requireProof: true, downloadChecksum: '' };
		const { outcome } = await asked(t, 'delete', 'status=new', filter, proof);
		assert.match(outcome, /^notArchived: /);
	});

	test('Get Many does not return a full page as the whole list', async (t) => {
		const two = () => list(OTHER, ANOTHER);
		const { hints } = await asked(t, 'getMany', 'pageSize=2', two, { returnAll: true });
		assert.match(String(hints), /not clear whether .* the page is full/);
		const ended = () => ({ body: { data: [{ sessionGuid: OTHER }], total: 1 } });
		const whole = await asked(t, 'getMany', 'pageSize=1', ended, { returnAll: true });
		assert.deepEqual(whole.hints, []);
		assert.match(whole.outcome, /^undefined: undefined/, 'it is the whole');
	});
});
