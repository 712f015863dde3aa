import type { IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { HTTP_REQUEST } from './archiveNodes';
import type { NodeBefore, Step } from './history';

/**
 * HTTP Request can read anything, the service itself included. So what it has read is proof only if
 * it has read the address that an earlier request has written the file to. Nothing has to be known
 * about hosts, headers and credentials.
 */

/** All that a request that reads may have set. */
const READING_PARAMETERS = [
	'authentication',
	'curlImport',
	'genericAuthType',
	'headerParameters',
	'infoMessage',
	'jsonHeaders',
	'jsonQuery',
	'method',
	'nodeCredentialType',
	'options',
	'provideSslCertificates',
	'queryParameters',
	'sendBody',
	'sendHeaders',
	'sendQuery',
	'specifyHeaders',
	'specifyQuery',
	'sslCertificate',
	'url',
];
/**
 * All options that it may have: with any other, such as paging or a proxy, it can get to another
 * address.
 */
const READING_OPTIONS = [
	'allowUnauthorizedCerts',
	'batching',
	'lowercaseHeaders',
	'queryParameterArrays',
	'redirect',
	'response',
	'timeout',
];
const WRITING_METHODS: readonly unknown[] = ['POST', 'PUT'];

/** How an expression names something of n8n: `$json`, `$('Name').item`, and what follows on it. */
const NAMED = /\$[\w$]*(?:\((?:'[^']*'|"[^"]*")\))?(?:\??\.\w+)?/g;
/** What means the same in each node, if the item of the node is put in its place. */
const SAME_EVERYWHERE = [
	/^\$(?:json|binary|env|vars|workflow)\b/,
	/^\$input\.item$/,
	/^\$\((?:'[^']*'|"[^"]*")\)\.(?:item|first|params)$/,
];

/** An address without its query, or why it is not known. */
type Address = { address: string } | { why: string };

/**
 * Why what an HTTP Request has read is no proof; `undefined` if it has read where an earlier one
 * has written the file to.
 *
 * @param steps how the item has come to this node
 */
export function whyNotWritten(
	context: IExecuteFunctions,
	itemIndex: number,
	reader: NodeBefore,
	steps: readonly Step[],
): string | undefined {
	const { method = 'GET', sendBody = false, options } = reader.parameters;
	if (method !== 'GET' || sendBody !== false) {
		return `'${reader.name}' sends something, so its answer may be just that`;
	}
	const [other] = [
		...othersThan(READING_PARAMETERS, reader.parameters),
		...othersThan(READING_OPTIONS, options),
	];
	if (other !== undefined) {
		return `'${reader.name}' has '${other}' set, so it may read another address`;
	}

	const read = addressOf(context, itemIndex, reader, steps);
	if ('why' in read) return read.why;
	const writers = steps.filter((step) => reader.before.has(step.node.name) && hasWritten(step));
	const written = writers.map(({ node }) => addressOf(context, itemIndex, node, steps));
	if (written.some((one) => 'address' in one && one.address === read.address)) return undefined;
	const unknown = written.find((one) => 'why' in one);
	return (
		unknown?.why ??
		`'${reader.name}' reads an address that no HTTP Request before it has written the file to`
	);
}

function othersThan(known: readonly string[], set: unknown): string[] {
	return Object.keys(isJsonObject(set) ? set : {}).filter((name) => !known.includes(name));
}

/** Whether a request has sent a file, and was told that it has arrived. */
function hasWritten({ node, item }: Step): boolean {
	const { type, parameters, isDisabled, isPinned } = node;
	if (type !== HTTP_REQUEST || isDisabled || isPinned || item === undefined) return false;
	const { method, sendBody, contentType, options } = parameters;
	const isUpload =
		WRITING_METHODS.includes(method) && sendBody === true && contentType === 'binaryData';
	// With the option Never Error, an answer of any status makes an item.
	return isUpload && !isNeverError(options) && !jsonOfItem(item).error;
}

function isNeverError(options: unknown): boolean {
	const { response } = (isJsonObject(options) ? options : {}) as {
		response?: { response?: { neverError?: unknown } };
	};
	return (response?.response?.neverError ?? false) !== false;
}

/** Where a request of this node about this item went. */
function addressOf(
	context: IExecuteFunctions,
	itemIndex: number,
	node: NodeBefore,
	steps: readonly Step[],
): Address {
	const unknown = { why: `the address of '${node.name}' cannot be told` };
	const { url } = node.parameters;
	if (typeof url !== 'string') return unknown;
	const isExpression = url.startsWith('=');
	const other = (isExpression ? (url.match(NAMED) ?? []) : []).find(
		(name) => !SAME_EVERYWHERE.some((known) => known.test(name)),
	);
	if (other !== undefined) {
		const hint = "use only $json, $binary, $input.item, and $('Name').item or .first()";
		return { why: `${unknown.why}, because of ${other}: ${hint}` };
	}
	try {
		const resolved = isExpression
			? context.evaluateExpression(asIfIn(node, url.slice(1), steps), itemIndex)
			: url;
		const { origin, pathname } = new URL(String(resolved));
		return { address: `${origin}${pathname}` };
	} catch {
		return unknown;
	}
}

/**
 * The expression of another node for this one: `$json`, `$binary` and `$input` are what that node
 * has got.
 */
function asIfIn(node: NodeBefore, expression: string, steps: readonly Step[]): string {
	const input = inputOf(node, steps);
	const item = input === undefined ? 'undefined' : `$(${JSON.stringify(input)}).item`;
	const given = `((item) => ({ $json: item?.json ?? item, $binary: item?.binary, $input: { item } }))(${item})`;
	return expression.replace(
		/\{\{([\s\S]*?)\}\}/g,
		(_all, inner: string) => `{{ (({ $json, $binary, $input }) => (${inner}))(${given}) }}`,
	);
}

/**
 * The node that a node has got the item from: of several that the item has passed, the last one.
 */
function inputOf({ feeders }: NodeBefore, steps: readonly Step[]): string | undefined {
	const passed = steps
		.filter(
			({ node, item }) => item !== undefined && feeders.some(({ name }) => name === node.name),
		)
		.map(({ node }) => node);
	const last = passed.filter((one) => !passed.some((other) => other.before.has(one.name)));
	return last.length === 1 ? last[0]?.name : undefined;
}
