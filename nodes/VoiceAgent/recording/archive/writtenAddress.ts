import type { INodeParameters } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { HTTP_REQUEST } from './archiveNodes';
import type { NodeBefore, Step, Way } from './history';
import { parameterAsIn } from './movedExpression';
import type { Objection } from './objection';

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
 *
 * `redirect` only says how far the request follows the host to other addresses. It names none, and
 * n8n follows the host without it too.
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

/** An address without its query, or why it is not known. */
type Address = { address: string } | { objection: string };

/**
 * What an HTTP Request has read counts only if it has read the address to which an earlier request
 * has written the file.
 */
export function objectionToAddress(way: Way, reader: NodeBefore): Objection {
	const objection = objectionToRequest(reader);
	if (objection !== undefined) return objection;
	const read = addressOf(reader, way);
	if ('objection' in read) return read.objection;

	let firstObjection: Objection;
	for (const step of way.steps) {
		const isBeforeReader = reader.before.has(step.node.name);
		if (!isBeforeReader || !hasWritten(step)) continue;
		const written = addressOf(step.node, way);
		if ('objection' in written) firstObjection ??= written.objection;
		else if (written.address === read.address) return undefined;
	}
	// An address that is not known may be the one that was read, so the error names it first.
	if (firstObjection !== undefined) return firstObjection;
	return `'${reader.name}' reads an address that no HTTP Request before it has written the file to`;
}

/** A request counts only if it just reads its address. */
function objectionToRequest({ name, parameters }: NodeBefore): Objection {
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

/** The names of what is set, without those that are known. */
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
 * Whether the option Never Error is on, or may be. With it, an answer of any status makes an item,
 * also an answer that says that the file has not arrived.
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

/** Where a request of a node about an item went. */
function addressOf(node: NodeBefore, way: Way): Address {
	const objection = `the address of '${node.name}' cannot be told`;
	const url = parameterAsIn(node, 'url', way);
	if ('problem' in url) return { objection: `${objection}${url.problem}` };
	const address = withoutQuery(url.value);
	return address === undefined ? { objection } : { address };
}

/**
 * An address without its query. A signature in the query differs between writing and reading, and a
 * version may be asked for. So two files that differ only in the query count as one address. A host
 * that chooses the file by the query or by a header is not recognized: docs/customizing.md says so.
 */
export function withoutQuery(url: string): string | undefined {
	if (!URL.canParse(url)) return undefined;
	const { origin, pathname } = new URL(url);
	return `${origin}${pathname}`;
}
