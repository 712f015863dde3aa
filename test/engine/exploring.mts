/** Explores a service, and compares what two profiles say. */
import assert from 'node:assert/strict';

import type { Engine } from '../../harness/engine/engine.mts';
import type { Credential } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';

type Row = Record<string, unknown>;

export interface Explored {
	rows: Row[];
	profile: Record<string, unknown> & { settings: Record<string, string | boolean> };
}

/** What no profile can say, or what says something about the moment. */
const OF_THE_MOMENT = [/^How many requests/];

/** Runs Explore with these options. */
export async function exploredWith(
	engine: Engine,
	voiceAgentApi: Credential,
	options: object,
): Promise<Explored> {
	const execution = await engine.runNode({
		parameters: { resource: 'connection', operation: 'explore', options },
		credentials: { voiceAgentApi },
	});
	const rows = execution.items(NODE).map(({ json }) => json);
	const file = execution.items(NODE)[0]?.binary?.data;
	const error = execution.nodeError(NODE);
	assert.ok(file, `${error?.message}: ${error?.description}`);
	const profile = JSON.parse((await engine.n8n.binary(file)).toString()) as Explored['profile'];
	const lasting = rows.filter(
		({ question }) => !OF_THE_MOMENT.some((one) => one.test(String(question))),
	);
	return { rows: lasting, profile };
}

/** How a server sends a body, which is not what it says. */
const OF_THE_CONNECTION = new Set([
	'connection',
	'content-length',
	'keep-alive',
	'transfer-encoding',
]);

interface Recorded {
	name: string;
	answer?: { status: number; headers: object; json?: unknown; text?: string; file?: object };
}

/** Whether a name is that of a field. */
type IsName = (name: string) => boolean;
const anyName: IsName = () => true;

/**
 * What a profile says, without what belongs to one execution: names of exchanges, statuses, names
 * of headers, and the structure and types of bodies.
 *
 * @param isName whether a name is that of a field; others are data, and replaced in each profile
 */
export function formOf(
	{ profile }: Explored,
	{ isOrdered = true, isName = anyName } = {},
): unknown {
	const typesOf = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(typesOf);
		if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
		const entries = Object.entries(value).map(([name, inner], index) => [
			isName(name) ? name : `another name, ${index}`,
			typesOf(inner),
		]);
		return Object.fromEntries(entries);
	};
	const shownPath = (path: string) =>
		path.replace(/[^.]+/g, (name) => (isName(name) ? name : 'another name'));
	const shownField = <One extends { path: string }>(field: One) => ({
		...field,
		path: shownPath(field.path),
	});
	const { exchanges, list, webhooks } = profile as unknown as {
		exchanges: Recorded[];
		list?: Record<string, unknown> & { path: string; fields: Array<{ path: string }> };
		webhooks: Array<{ event: string; method?: string; roles: object; json: unknown }>;
	};
	return {
		list: list && {
			...list,
			...{ path: shownPath(list.path), fields: list.fields.map(shownField) },
			order: isOrdered ? list.order : 'by chance',
		},
		exchanges: exchanges.map(({ name, answer }) => ({
			name,
			status: answer?.status,
			headers: Object.keys(answer?.headers ?? {})
				.filter((header) => answer?.file !== undefined || !OF_THE_CONNECTION.has(header))
				.sort(),
			json: typesOf(answer?.json),
			text: answer?.text?.length,
		})),
		webhooks: webhooks.map(({ event, method, roles, json }) => ({
			...{ event, method, roles },
			json: typesOf(json),
		})),
	};
}
