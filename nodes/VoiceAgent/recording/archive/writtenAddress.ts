import type { IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { HTTP_REQUEST } from './archiveNodes';
import { type NodeBefore, type Step } from './history';

/**
 * HTTP Request can read anything, the service itself included. So what it has read is proof only if it has read the
 * address that an earlier request has written the file to. Nothing has to be known about hosts, headers and credentials.
 */

/** All that a request that reads may have set: how it says who it is, its query and headers. None of it is an address. */
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
/** All options that it may have: with any other, such as paging or a proxy, it can get to another address. */
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

/** What expressions call the item, the node or the run that they belong to. Here, these would be those of Delete. */
const OF_THE_NODE = [
	'$binary',
	'$data',
	'$input',
	'$itemIndex',
	'$json',
	'$node',
	'$parameter',
	'$prevNode',
	'$runIndex',
	'$thisItem',
];

/**
 * Why what an HTTP Request has read is no proof; `undefined` if it has read where an earlier one has written the file to.
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
	const other = [
		...othersThan(READING_PARAMETERS, reader.parameters),
		...othersThan(READING_OPTIONS, options),
	];
	if (other.length > 0)
		return `'${reader.name}' has '${other[0]}' set, so it may read another address`;

	const address = addressOf(context, itemIndex, reader, steps);
	if (address === undefined) return `the address that '${reader.name}' reads cannot be told`;
	const before = context.getParentNodes(reader.name).map(({ name }) => name);
	const isWritten = steps
		.filter(({ node }) => before.includes(node.name))
		.some(
			(step) => hasWritten(step) && addressOf(context, itemIndex, step.node, steps) === address,
		);
	if (isWritten) return undefined;
	return `'${reader.name}' reads an address that no HTTP Request before it has written the file to`;
}

function othersThan(known: readonly string[], set: unknown): string[] {
	return Object.keys(isJsonObject(set) ? set : {}).filter((name) => !known.includes(name));
}

/** Whether a request has sent a file, and was told that it has arrived. */
function hasWritten({ node, item }: Step): boolean {
	const { type, parameters, isDisabled, isPinned } = node;
	if (type !== HTTP_REQUEST || isDisabled || isPinned) return false;
	const { method, sendBody, contentType, options } = parameters;
	const isUpload =
		WRITING_METHODS.includes(method) && sendBody === true && contentType === 'binaryData';
	// With the option Never Error, an answer of any status makes an item.
	const hasArrived = item !== undefined && (jsonOfItem(item).error ?? undefined) === undefined;
	return isUpload && hasArrived && !isNeverError(options);
}

function isNeverError(options: unknown): boolean {
	const { response } = (isJsonObject(options) ? options : {}) as {
		response?: { response?: { neverError?: unknown } };
	};
	return (response?.response?.neverError ?? false) !== false;
}

/** Where a request of this node about this item went, without its query; `undefined` if that cannot be told. */
function addressOf(
	context: IExecuteFunctions,
	itemIndex: number,
	node: NodeBefore,
	steps: readonly Step[],
): string | undefined {
	const url = urlOf(context, itemIndex, node, steps);
	if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}

function urlOf(
	context: IExecuteFunctions,
	itemIndex: number,
	{ parameters, feeders }: NodeBefore,
	steps: readonly Step[],
): unknown {
	const { url } = parameters;
	if (typeof url !== 'string' || !url.startsWith('=')) return url;
	const inputs = steps.filter(
		({ node, item }) => feeders.includes(node.name) && item !== undefined,
	);
	const input = inputs.length === 1 ? inputs[0]?.node.name : undefined;
	try {
		return context.evaluateExpression(asIfInNode(url.slice(1), input), itemIndex);
	} catch {
		return undefined;
	}
}

/**
 * The same expression for this node: `$json` is the item that `input` has output, and what else an expression calls its
 * own is `undefined`, because it is not known here. What it names by the name of a node stays as it is.
 */
function asIfInNode(expression: string, input: string | undefined): string {
	const names = OF_THE_NODE.join(', ');
	const item = input === undefined ? 'undefined' : `$(${JSON.stringify(input)}).item`;
	return expression.replace(
		/\{\{([\s\S]*?)\}\}/g,
		(_all, inner: string) =>
			`{{ (({ ${names} }) => (${inner}))({ $json: ((one) => one?.json ?? one)(${item}) }) }}`,
	);
}
