/** Runs the code of a Code node. It reads what other nodes have output, and returns items. */
import { DateTime } from 'luxon';

import { nodeOf, readWorkflow } from './workflows.mts';

export type Json = Record<string, unknown>;
export interface Item {
	json: Json;
	binary?: { data: { data: string; mimeType?: string } };
}

/** What each node has output. A node that is not named here was not executed. */
export type Outputs = Record<string, Array<Item | Json>>;

interface Options {
	/** The time and the zone of the workflow. */
	now?: DateTime;
	/** The items of the node itself. */
	input?: Item[];
}

const isItem = (one: Item | Json): one is Item => 'json' in one;
const output = (items: Array<Item | Json> | undefined) => {
	const all = items?.map((one) => (isItem(one) ? one : { json: one })) ?? [];
	return {
		all: () => all,
		first: () => all[0],
		last: () => all.at(-1),
		isExecuted: items !== undefined,
	};
};

/** @throws {Error} when there is no such node, or what its code throws */
export async function runCode(
	workflow: string,
	node: string,
	outputs: Outputs,
	{ now = DateTime.now(), input = [] }: Options = {},
): Promise<Item[]> {
	const { jsCode } = nodeOf(readWorkflow(workflow), node).parameters;
	const buffer = (index: number) => Buffer.from(input[index]?.binary?.data.data ?? '', 'base64');
	const self = {
		helpers: { getBinaryDataBuffer: async (index: number) => Promise.resolve(buffer(index)) },
	};
	// n8n runs the text of a Code node as a function, too.
	const run = new Function(
		'$',
		'$input',
		'$now',
		'DateTime',
		`return (async () => {${String(jsCode)}}).call(this)`,
	);
	return (await run.call(
		self,
		(name: string) => output(outputs[name]),
		output(input),
		now,
		DateTime,
	)) as Item[];
}
