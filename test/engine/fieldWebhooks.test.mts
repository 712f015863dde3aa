/** What people reported about CallEnd webhooks: the cases `webhook` of test/vectors/field. */
import type { TestContext } from 'node:test';

import type { Options, Seen } from '../fieldCases/outcome.mts';
import { fieldCases } from '../fieldCases/suite.mts';
import { type Delivery, deliver } from '../fieldCases/delivery.mts';
import { sharedEngine } from './engines.mts';

interface Webhook {
	request: Delivery;
	trigger?: { options?: Options };
}

const engine = await sharedEngine();

async function webhook(
	t: TestContext,
	{ request, trigger }: Webhook,
	options: Options,
): Promise<Seen> {
	const all = { ...trigger?.options, ...options };
	const parameters = { event: 'callEnd', authentication: 'none', options: all };
	const { url, started, close } = await engine.listen({ parameters });
	t.after(close);
	const { isRefused, text } = await deliver(url, request);
	return {
		executions: started.flat().map(({ json }) => String(json.sessionGuid)),
		refusal: isRefused ? text : undefined,
	};
}

const sessionGuid = '5b27f0c4-93d8-4e1a-8f60-c2d4a9e71b22';
fieldCases(
	'webhook',
	[
		{
			input: {
				request: { headers: { 'content-type': 'application/json' }, json: { sessionGuid } },
			},
			holds: { executions: [sessionGuid] },
			doesNotHold: { refused: '.' },
		},
		{
			input: { request: { query: { sessionGuid: 'none' } } },
			holds: { executions: [], refused: 'no session GUID' },
			doesNotHold: { executions: [sessionGuid] },
		},
	],
	webhook,
);
