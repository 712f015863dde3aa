import { ExpressionParser, type IExecuteFunctions, type INodeParameters } from 'n8n-workflow';

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
 * All options that it may have. With any other, such as paging or a proxy, it may read another
 * address than the one that is entered.
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

/**
 * How an expression names something of n8n: `$json`, `$('Name').item`. In the quotes, a backslash
 * makes the next character a part of the name.
 */
const NAMED = /\$[\w$]*(?:\((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\))?(?:\??\.\w+)?/g;
/** What means the same in each node, if the item of the node is put in its place. */
const SAME_EVERYWHERE = [
	/^\$(?:json|binary|env|vars|workflow)\b/,
	/^\$input\.item$/,
	/^\$\((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\)\.(?:item|first|params)$/,
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
	const whyNotRead = whyNotReading(reader);
	if (whyNotRead !== undefined) return whyNotRead;
	const read = addressOf(context, itemIndex, reader, steps);
	if ('why' in read) return read.why;

	let whyUnknown: string | undefined;
	for (const step of steps) {
		const isBeforeReader = reader.before.has(step.node.name);
		if (!isBeforeReader || !hasWritten(step)) continue;
		const written = addressOf(context, itemIndex, step.node, steps);
		if ('why' in written) whyUnknown ??= written.why;
		else if (written.address === read.address) return undefined;
	}
	// An address that is not known may be the one that was read.
	if (whyUnknown !== undefined) return whyUnknown;
	return `'${reader.name}' reads an address that no HTTP Request before it has written the file to`;
}

/** Why a request may not just read its address; `undefined` if it does. */
function whyNotReading({ name, parameters }: NodeBefore): string | undefined {
	const { method = 'GET', sendBody = false, options } = parameters;
	if (method !== 'GET' || sendBody !== false) {
		return `'${name}' sends something, so its answer may be just that`;
	}
	const others = [
		...namesBeyond(READING_PARAMETERS, parameters),
		...namesBeyond(READING_OPTIONS, options),
	];
	if (others.length > 0) {
		return `'${name}' has '${others[0]}' set, so it may read another address`;
	}
	return undefined;
}

/** What is set although it is not among the names that are known. */
function namesBeyond(known: readonly string[], set: unknown): string[] {
	const names = isJsonObject(set) ? Object.keys(set) : [];
	return names.filter((name) => !known.includes(name));
}

/** Whether a request has sent a file, and was told that it has arrived. */
function hasWritten({ node, item }: Step): boolean {
	if (node.type !== HTTP_REQUEST) return false;
	// A node that is off, or whose output is pinned, sends nothing.
	if (node.isDisabled || node.isPinned) return false;
	if (!sendsFile(node.parameters)) return false;
	// Without an item, it has not run for this one. With an error, the request has failed.
	if (item === undefined || jsonOfItem(item).error) return false;
	return !takesAnyStatus(node.parameters);
}

function sendsFile({ method, sendBody, contentType }: INodeParameters): boolean {
	return WRITING_METHODS.includes(method) && sendBody === true && contentType === 'binaryData';
}

/**
 * Whether the option Never Error is on, or may be: then an answer of any status makes an item, also
 * one that says that the file has not arrived.
 */
function takesAnyStatus({ options }: INodeParameters): boolean {
	// n8n's name of the collection, then that of the one group of fields in it.
	const collection = fieldOf(options, 'response');
	const neverError = fieldOf(fieldOf(collection, 'response'), 'neverError');
	return neverError !== undefined && neverError !== null && neverError !== false;
}

function fieldOf(value: unknown, name: string): unknown {
	return isJsonObject(value) ? value[name] : undefined;
}

/** Where a request of this node about this item went. */
function addressOf(
	context: IExecuteFunctions,
	itemIndex: number,
	node: NodeBefore,
	steps: readonly Step[],
): Address {
	const why = `the address of '${node.name}' cannot be told`;
	const { url } = node.parameters;
	if (typeof url !== 'string') return { why };
	const isExpression = url.startsWith('=');
	if (!isExpression) return withoutQuery(url) ?? { why };

	const chunks = ExpressionParser.splitExpression(url.slice(1));
	const codes = chunks.filter((chunk) => chunk.type === 'code');
	// n8n would end the code elsewhere once something is put around it.
	const isEndClear = codes.every(
		({ text, hasClosingBrackets }) => hasClosingBrackets && !text.includes('}}'),
	);
	if (!isEndClear) return { why };
	const names = codes.flatMap(({ text }) => text.match(NAMED) ?? []);
	const other = names.find((name) => !SAME_EVERYWHERE.some((known) => known.test(name)));
	if (other !== undefined) {
		const hint = "use only $json, $binary, $input.item, and $('Name').item or .first()";
		return { why: `${why}, because of ${other}: ${hint}` };
	}

	const given = itemGivenTo(node, steps);
	const expression = chunks
		.map(({ type, text }) => (type === 'code' ? `{{ ${asIfIn(given, text)} }}` : text))
		.join('');
	try {
		return withoutQuery(String(context.evaluateExpression(expression, itemIndex))) ?? { why };
	} catch {
		return { why };
	}
}

function withoutQuery(url: string): Address | undefined {
	if (!URL.canParse(url)) return undefined;
	const { origin, pathname } = new URL(url);
	return { address: `${origin}${pathname}` };
}

/**
 * Code of another node for this one: `$json`, `$binary` and `$input` are what that node has got.
 *
 * @param given the item that it has got, as code
 */
function asIfIn(given: string, code: string): string {
	// In n8n's combined binary mode, an item is its JSON.
	const names =
		'(item) => ({ $json: item?.json ?? item, $binary: item?.binary, $input: { item } })';
	return `(({ $json, $binary, $input }) => (${code}))((${names})(${given}))`;
}

/** The item that a node has got, as code of an expression of this node. */
function itemGivenTo({ feeders }: NodeBefore, steps: readonly Step[]): string {
	const passed: NodeBefore[] = [];
	for (const { node, item } of steps) {
		const isFeeder = feeders.some(({ name }) => name === node.name);
		if (isFeeder && item !== undefined) passed.push(node);
	}
	// Of several feeders that the item has passed, the last one has given it.
	const [last, ...others] = passed.filter((one) =>
		passed.every((other) => !other.before.has(one.name)),
	);
	const isClear = last !== undefined && others.length === 0;
	return isClear ? `$(${JSON.stringify(last.name)}).item` : 'undefined';
}
