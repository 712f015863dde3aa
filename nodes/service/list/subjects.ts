/*
 * Words in names that no convention explains. They say what a field beside a list is about:
 * further records, this answer, or something else.
 */

/** Rows of words. The first column says what they have in common. */
type Words = ReadonlyArray<readonly [subject: string, words: readonly string[]]>;

/** What leads on, or is left: whatever such a field holds may lead to more records. */
const FURTHER: Words = [
	['the next page', ['next', 'more', 'further', 'paging', 'pagination']],
	['where to go on', ['cursor', 'cursors', 'token', 'skiptoken', 'marker', 'bookmark', 'iterator']],
	['where to go on', ['scroll', 'offset', 'checkpoint', 'seek']],
	['how to go on', ['after', 'continue', 'continuation', 'resume', 'resumption', 'older']],
	['what is left', ['left', 'remaining', 'rest', 'omitted', 'truncated']],
];
/** Of these, there is always one. */
const PAGES: Words = [['pages', ['page', 'pages']]];
/** Of these, there are always as many as were read. */
const COUNTS: Words = [['records', ['total', 'totals', 'count', 'counts', 'shown']]];
/** If one of these is false, there is more. */
const ENDS: Words = [
	['the end', ['last', 'end', 'eof', 'final', 'all']],
	['being there', ['complete', 'completed', 'finished', 'exhausted']],
];

/** Pages that come before this one, and this one. */
const BEFORE: Words = [['earlier pages', ['prev', 'previous', 'first', 'self', 'current']]];

/** Together, they name a record at the edge of this page, as in `lastId`. */
const EDGES: Words = [
	['in order', ['last', 'start', 'end', 'min', 'max', 'oldest', 'newest']],
	['in time', ['since', 'from', 'until', 'to']],
];
const IDENTIFIERS: Words = [
	['its name', ['id', 'key', 'guid', 'uuid', 'index']],
	['itself', ['item', 'record', 'seen']],
];

/** What has tokens, totals and remainders of its own. These words win over all others. */
const BUDGETS: Words = [
	['credentials', ['auth', 'authorization', 'oauth', 'csrf', 'xsrf', 'jwt', 'bearer', 'access']],
	['credentials', ['refresh', 'credential', 'credentials', 'password', 'secret', 'nonce']],
	['limits of use', ['quota', 'quotas', 'rate', 'ratelimit', 'limits', 'throttle', 'retry']],
	['limits of use', ['api', 'concurrency', 'concurrent', 'parallel']],
	['use', ['usage', 'used', 'tokens', 'credit', 'credits', 'balance', 'budget', 'allowance']],
	['contracts', ['billing', 'plan', 'subscription', 'license', 'trial', 'free', 'hosting']],
	['money', ['amount', 'price', 'cost', 'costs', 'fee', 'tax', 'vat', 'revenue']],
	['time', ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds']],
	['time', ['duration', 'runtime', 'latency', 'timeout']],
	['storage', ['bytes', 'kb', 'mb', 'gb', 'disk', 'storage', 'memory']],
	['popularity', ['views', 'likes', 'votes', 'followers']],
];

/** What an answer says about itself, in such a field. */
const ANSWER: Words = [
	['identity', ['id', 'ids', 'uid', 'guid', 'uuid', 'key', 'name', 'title', 'label', 'slug']],
	['kind', ['object', 'kind', 'type', 'class', 'entity', 'resource', 'thing', 'schema']],
	['form', ['format', 'encoding', 'charset', 'content', 'mime', 'lang', 'language', 'locale']],
	['outcome', ['status', 'state', 'stat', 'code', 'success', 'successful', 'succeeded', 'ok']],
	['text', ['message', 'messages', 'msg', 'text', 'note', 'notice', 'reason', 'info', 'help']],
	['text', ['description', 'detail', 'details', 'summary', 'disclaimer', 'comment']],
	['trouble', ['error', 'errors', 'warning', 'warnings', 'failed', 'failure', 'fault', 'issue']],
	['request', ['request', 'requests', 'req', 'trace', 'correlation', 'span', 'operation', 'job']],
	['request', ['action', 'method', 'query', 'search', 'term', 'filter', 'filters', 'fields']],
	['request', ['sort', 'sorted', 'unsorted', 'order', 'direction', 'expand', 'context']],
	['version', ['version', 'revision', 'rev', 'release', 'build', 'etag', 'knowledge']],
	['version', ['hash', 'digest', 'checksum', 'signature', 'sha', 'md5', 'commit']],
	['address', ['url', 'uri', 'href', 'link', 'links', 'homepage', 'website', 'docs', 'logo']],
	['address', ['documentation', 'avatar', 'icon', 'image', 'callback', 'webhook', 'file']],
];

/** What is about something else, in such a field or in an object with such a name. */
const OTHERS: Words = [
	['time', ['time', 'times', 'timestamp', 'date', 'datetime', 'at', 'on', 'year', 'month']],
	['time', ['week', 'day', 'hour', 'minute', 'second', 'ms', 'utc', 'timezone', 'zone', 'now']],
	['time', ['created', 'updated', 'modified', 'generated', 'synced', 'expires', 'expiry']],
	['time', ['elapsed', 'took', 'interval', 'ttl', 'age']],
	['who', ['account', 'user', 'owner', 'customer', 'client', 'tenant', 'organization', 'org']],
	['who', ['company', 'team', 'member', 'person', 'group', 'role', 'by', 'workspace', 'project']],
	['who', ['app', 'application', 'device', 'phone', 'mobile', 'email', 'username', 'agent']],
	['where', ['country', 'region', 'city', 'zip', 'address', 'site', 'domain', 'shard', 'cluster']],
	['software', ['server', 'host', 'node', 'engine', 'model', 'environment', 'env', 'software']],
	['software', ['system', 'provider', 'service', 'source', 'tokenizer', 'nextcloud', 'mempool']],
	['money', ['discount', 'currency', 'due']],
	['measure', ['unit', 'units', 'capacity', 'score', 'rating', 'rank', 'level', 'health', 'per']],
	['measure', ['avg', 'average', 'mean', 'sum', 'min', 'max', 'minimum', 'maximum', 'threshold']],
	['measure', ['width', 'height', 'weight', 'distance', 'radius', 'latitude', 'longitude']],
	['measure', ['percent', 'percentage', 'progress', 'ratio', 'confidence', 'accuracy']],
	['measure', ['points', 'priority', 'temperature']],
	['setting', ['configuration', 'config', 'settings', 'feature', 'features', 'enabled', 'mode']],
	['setting', ['active', 'valid', 'public', 'private', 'admin', 'test', 'live', 'sandbox']],
	['setting', ['debug', 'cache', 'cached', 'empty', 'default', 'can', 'permission', 'allowed']],
	['setting', ['authenticated', 'verified', 'permissions', 'roles', 'scope', 'scopes', 'demo']],
];

function wordsOf(rows: Words): ReadonlySet<string> {
	return new Set(rows.flatMap(([, words]) => words));
}

/** The next page, where to go on, what is left. */
export const further = wordsOf(FURTHER);
export const pages = wordsOf(PAGES);
/** Numbers of records. */
export const counts = wordsOf(COUNTS);
/** What is false if there is more. */
export const ends = wordsOf(ENDS);
/** This page, and the pages before it. */
export const before = wordsOf(BEFORE);
/** With one of `identifiers`: the record at the edge of this page. */
export const edges = wordsOf(EDGES);
/** Names of the identifier of a record. */
export const identifiers = wordsOf(IDENTIFIERS);
/** Credentials, limits, money, time and other things that are counted, but are not records. */
export const budgets = wordsOf(BUDGETS);
/** The answer itself, as a name. In the name of an object, such a word says nothing. */
export const answer = wordsOf(ANSWER);
/** Something else, as a name or in the name of an object around it. */
export const others = wordsOf(OTHERS);
