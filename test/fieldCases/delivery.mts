/** Sends a webhook as a case describes it. */
export interface Delivery {
	method?: string;
	query?: Record<string, string>;
	headers?: Record<string, string>;
	/** One of these is sent. */
	json?: unknown;
	body?: string;
	bodyBase64?: string;
	generate?: Generate;
}

/** A payload that is too large for a file. See test/vectors/field/README.md. */
interface Generate {
	words?: number;
	levels?: number;
	style?: 'confidence' | 'levels';
	sessionGuid: string;
	/** Whether the words come a second time, beside the calls of tools. */
	twice?: boolean;
	/** Whether all of it is in `call`, next to `event`. */
	wrap?: boolean;
}

const WORDS_PER_TURN = 20;

export async function deliver(url: string, delivery: Delivery) {
	const { method = 'POST', query = {}, headers } = delivery;
	const address = new URL(url);
	for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
	const response = await fetch(address, { method, headers, body: bodyOf(delivery) });
	return { isRefused: !response.ok, text: await response.text() };
}

function bodyOf({ json, body, bodyBase64, generate }: Delivery): string | Buffer | undefined {
	if (generate) return JSON.stringify(payloadOf(generate));
	if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
	return body ?? JSON.stringify(json);
}

function payloadOf({ words = 0, style, sessionGuid, twice, wrap }: Generate): object {
	const times = Array.from({ length: words }, (_, index) => ({
		word: `word${index}`,
		start: index * 0.4,
		end: index * 0.4 + 0.3,
	}));
	if (style === 'levels') return around(sessionGuid, wrap, { levels: times.map(({ end }) => end) });
	if (style === 'confidence') {
		const more = { confidence: 0.98, speaker: 0 };
		const all = times.map((one) => ({ ...one, ...more, punctuated_word: `${one.word},` }));
		return around(sessionGuid, wrap, { words: all });
	}
	const turns = Array.from({ length: Math.ceil(words / WORDS_PER_TURN) }, (_, index) => ({
		role: index % 2 === 0 ? 'agent' : 'user',
		words: times.slice(index * WORDS_PER_TURN, (index + 1) * WORDS_PER_TURN),
	}));
	const again = twice && { transcript_with_tool_calls: turns };
	return around(sessionGuid, wrap, { transcript_object: turns, ...again });
}

/** The event, with the session GUID under the name that such services have for it. */
function around(sessionGuid: string, wrap: boolean | undefined, content: object): object {
	const call = { session_guid: sessionGuid, ...content };
	return wrap ? { event: 'CallEnd', call } : { event: 'CallEnd', ...call };
}
