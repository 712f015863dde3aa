/*
 * The closed world of what a profile shows as it is. Everything else is replaced, so what is
 * missing here costs nothing but a word that says less.
 */

/** Whole values that say what something is or has become, and are nobody's name. */
const VALUES = [
	...['true', 'false', 'null', 'none', 'yes', 'no', 'unknown', 'undefined'],
	...['ok', 'success', 'successful', 'succeeded', 'error', 'failed', 'failure', 'fail'],
	...['queued', 'accepted', 'pending', 'processing', 'completed', 'complete', 'done', 'ready'],
	...['started', 'ended', 'ringing', 'answered', 'busy', 'canceled', 'cancelled', 'in-progress'],
	...['available', 'stored', 'deleted', 'purged', 'expired', 'active', 'inactive', 'recorded'],
	...['inbound', 'outbound', 'incoming', 'outgoing', 'in', 'out'],
	...['opus', 'ogg', 'mp3', 'mpeg', 'wav', 'webm', 'enc', 'pcm', 'audio'],
	...['callstart', 'callend', 'call.start', 'call.end', 'call.started', 'call.ended'],
	...['call_start', 'call_end', 'call_started', 'call_ended', 'recording', 'recordings', 'call'],
	...['list', 'object', 'collection', 'page', 'asc', 'desc', 'about:blank'],
	...['not_found', 'unauthorized', 'forbidden', 'bad_request', 'not found', 'bad request'],
];

/** What OpenAPI documents say of types and places. */
const SCHEMA_VALUES = [
	...['string', 'number', 'integer', 'boolean', 'array', 'object', 'null', 'file'],
	...['date-time', 'date', 'time', 'uuid', 'uri', 'email', 'binary', 'byte', 'password'],
	...['int32', 'int64', 'float', 'double', 'hostname', 'ipv4', 'ipv6'],
	...['query', 'header', 'path', 'cookie', 'body', 'formdata', 'apikey', 'http', 'https'],
	...['bearer', 'basic', 'oauth2', 'openidconnect', 'token', 'authorization'],
];

/** Segments of paths that the specification or a convention names. */
const SEGMENTS = [
	...['api', 'customer', 'recordings', 'makecall', 'sms', 'swagger', 'swagger.json'],
	...['openapi.json', 'openapi', 'api-docs', 'storage', 'download', 'docs', 'index.html'],
];

/** Parts of headers that belong to the protocol. */
const HEADER_WORDS = [
	...['keep-alive', 'close', 'timeout', 'max', 'chunked', 'gzip', 'deflate', 'br', 'identity'],
	...['no-cache', 'no-store', 'must-revalidate', 'private', 'public', 'max-age', 'bytes'],
	...['get', 'put', 'post', 'delete', 'head', 'options', 'patch', 'items', 'charset', 'utf-8'],
	...['attachment', 'inline', 'filename', 'filename*', "utf-8''", 'rel', 'next', 'prev', 'last'],
	...['first', 'self', 'bearer', 'basic', 'digest', 'token', 'realm', 'accept', 'origin'],
	...['accept-encoding', 'nosniff', 'deny', 'sameorigin', 'v1', 'sha256', 'sha1', 'sha512'],
	...['opus', 'ogg', 'mp3', 'wav', 'webm', 'enc', 't', 'ts', 'hmac'],
];

/** Headers whose words are of the protocol. */
const PROTOCOL_HEADERS = [
	...['connection', 'keep-alive', 'transfer-encoding', 'cache-control', 'vary', 'allow', 'link'],
	...['content-length', 'content-range', 'content-encoding', 'content-disposition', 'age'],
	...['accept-ranges', 'retry-after', 'www-authenticate', 'x-content-type-options'],
	...['x-frame-options'],
];
const PROTOCOL_HEADER_GROUPS = /^(?:access-control-|(?:x-)?rate-?limit)/;

/** What HTTP itself counts. */
const LENGTH_HEADERS = /^content-(?:length|range)$/;
/** Limits, times and counts: longer numbers may be others. */
const NUMBER_HEADERS =
	/^(?:age|retry-after|keep-alive|cache-control|(?:x-)?rate-?limit.*|x-(?:wp-)?total.*)$/;

/** Media types that name no product. */
const MEDIA_TYPES = [
	...['application/json', 'application/problem+json', 'application/hal+json', 'application/xml'],
	...['application/octet-stream', 'application/x-www-form-urlencoded', 'multipart/form-data'],
	...['audio/ogg', 'audio/opus', 'audio/mpeg', 'audio/mp3', 'audio/wav', 'audio/x-wav'],
	...['audio/webm', 'text/html', 'text/plain', 'text/xml', 'text/csv', '*/*'],
];
const CHARSET = /; ?charset=(?:utf-8|iso-8859-1|us-ascii)$/i;

const values = new Set(VALUES);
const schemaValues = new Set(SCHEMA_VALUES);
const segments = new Set(SEGMENTS);
const headerWords = new Set(HEADER_WORDS);
const mediaTypes = new Set(MEDIA_TYPES);
const protocolHeaders = new Set(PROTOCOL_HEADERS);

export function isHarmlessValue(text: string): boolean {
	return values.has(text.toLowerCase()) || isMediaType(text);
}

export function isSchemaValue(text: string): boolean {
	return schemaValues.has(text.toLowerCase());
}

export function isHarmlessSegment(segment: string): boolean {
	return segments.has(segment.toLowerCase()) || /^v\d{1,2}$/i.test(segment);
}

export function isMediaType(text: string): boolean {
	return mediaTypes.has(text.replace(CHARSET, '').toLowerCase());
}

export function isProtocolHeader(name: string): boolean {
	return protocolHeaders.has(name) || PROTOCOL_HEADER_GROUPS.test(name);
}

export function isHarmlessNumber(name: string, text: string): boolean {
	if (LENGTH_HEADERS.test(name)) return /^[\d*]{1,12}(?:-\d{1,12})?$/.test(text);
	return NUMBER_HEADERS.test(name) && /^\d{1,6}$/.test(text);
}

export function isHeaderWord(word: string): boolean {
	return headerWords.has(word.toLowerCase());
}
