import { sleep } from 'n8n-workflow';

import type { Answer, Limits } from '../../nodes/service/http/answer';
import { isWebPage, limitedBody, readErrorPage } from '../../nodes/service/http/answer';
import { parseBody, readText } from '../../nodes/service/http/request';

let nowMs: number;
let timers: Array<() => void>;
beforeEach(() => {
	nowMs = 1_000_000;
	timers = [];
	jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const controller = new AbortController();
		timers.push(() => {
			nowMs += ms;
			controller.abort();
		});
		return controller.signal;
	});
});
afterEach(() => jest.restoreAllMocks());

const SILENT = Symbol('nothing more');
type Step = string | Uint8Array | Error | typeof SILENT | (() => void);

/** Lets the watches look at the time for so long. */
function passes(seconds: number): void {
	for (let second = 0; second < seconds; second++) timers.splice(0).forEach((fire) => fire());
}

/** An answer whose body takes these steps. */
function answerOf(steps: Iterable<Step>, headers: Record<string, string> = {}) {
	async function* chunks(): AsyncGenerator<Uint8Array> {
		for (const step of steps) {
			if (step === SILENT) await new Promise(() => {});
			else if (step instanceof Error) throw step;
			else if (typeof step === 'function') step();
			else yield Buffer.from(step as string);
		}
	}
	const destroy = jest.fn();
	const answer: Answer = {
		status: 200,
		url: new URL('https://voiceagent.example.com'),
		body: Object.assign(chunks(), { destroy }),
		headers,
		excerpt: (page) => page,
		header: (name) => headers[name],
	};
	return { answer, destroy };
}

async function read(
	steps: Iterable<Step>,
	limits: Partial<Limits> = {},
	headers?: Record<string, string>,
) {
	const { answer, destroy } = answerOf(steps, headers);
	let text = '';
	const all = { maxBytes: 100, deadlineMs: Infinity, ...limits };
	const reading = (async () => {
		for await (const chunk of limitedBody(answer, all)) text += Buffer.from(chunk).toString();
	})();
	// Until it waits for a step or is over.
	const error = await Promise.race([
		reading.then(
			() => undefined,
			(failure: unknown) => failure,
		),
		sleep(0).then(() => 'waits'),
	]);
	return { text, error, reading, destroy };
}

const later = (ms: number) => () => {
	nowMs += ms;
};

describe('a body', () => {
	test('arrives chunk by chunk, and its connection is closed', async () => {
		const { text, error, destroy } = await read(['ab', 'c', 'd']);
		expect({ text, error }).toEqual({ text: 'abcd', error: undefined });
		expect(destroy).toHaveBeenCalled();
		// Nothing looks at the time any more.
		passes(1);
		expect(timers).toEqual([]);
	});

	test('is closed when its reader stops', async () => {
		const { answer, destroy } = answerOf(['a', SILENT]);
		const chunks = limitedBody(answer, { maxBytes: 1, deadlineMs: Infinity });
		await chunks.next();
		await chunks.return();
		expect(destroy).toHaveBeenCalled();
	});

	interface Body {
		name: string;
		steps: Step[];
		limits?: Partial<Limits>;
		headers?: Record<string, string>;
		/** Why it is refused; without one, it is read. */
		reason?: string;
	}
	const bodies: Body[] = [
		{ name: 'as long as it may be is read', steps: ['12', '345'], limits: { maxBytes: 5 } },
		{
			name: 'that is a byte too long is refused',
			steps: ['12', '3456'],
			limits: { maxBytes: 5 },
			reason: 'tooLarge',
		},
		{
			name: 'announced as long as it may be is read',
			steps: [],
			limits: { maxBytes: 5 },
			headers: { 'content-length': '5' },
		},
		{
			name: 'announced a byte too long is refused',
			steps: [],
			limits: { maxBytes: 5 },
			headers: { 'content-length': '6' },
			reason: 'tooLarge',
		},
		{
			name: 'whose connection is lost is an error',
			steps: ['1', Object.assign(new Error(), { code: 'ECONNRESET' })],
			reason: 'connectionLost',
		},
		{
			name: 'whose last chunk came in time may end after the deadline',
			steps: ['1', later(10)],
			limits: { deadlineMs: 1_000_005 },
		},
		{
			name: 'that comes byte by byte is given up at the deadline [fault 5]',
			steps: ['1', later(6), '1'],
			limits: { deadlineMs: 1_000_005 },
			reason: 'deadlineExceeded',
		},
	];
	test.each(bodies)('$name', async ({ steps, limits, headers, reason }) => {
		const { error } = await read(steps, limits, headers);
		expect((error as { reason?: string } | undefined)?.reason).toBe(reason);
	});

	test.each(['gzip', 'X-GZIP', 'br'])(
		'in the encoding %s is not taken as it is',
		async (encoding) => {
			const headers = { 'content-encoding': encoding };
			const { text, error } = await read(['x'], {}, headers);
			expect({ text, error }).toMatchObject({
				text: '',
				error: { reason: 'compressed', detail: encoding },
			});
			expect((await read([], {}, headers)).error).toBeUndefined();
		},
	);

	test.each(['identity', 'UTF-8', 'none', '', 'library'])(
		'in the encoding %j is taken as it is',
		async (encoding) => {
			expect((await read(['x'], {}, { 'content-encoding': encoding })).text).toBe('x');
		},
	);

	test('that is too long is refused with the length that it may have', async () => {
		expect((await read(['123456'], { maxBytes: 5 })).error).toMatchObject({
			message: expect.stringContaining('5 bytes'),
		});
	});

	test('with a long name of an encoding is refused with the beginning of that name', async () => {
		const headers = { 'content-encoding': `utf-8, gzip, ${'x'.repeat(500)}` };
		const { error } = await read(['x'], {}, headers);
		expect(error).toMatchObject({ detail: `gzip, ${'x'.repeat(48)}` });
	});
});

describe('silence', () => {
	test.each<[string, Step[], string]>([
		['from the start', [SILENT], ''],
		['from the last chunk', [later(59_000), 'a', SILENT], 'a'],
	])(
		'of a minute, %s, ends the reading; another attempt may help',
		async (_name, steps, before) => {
			const { text, error, reading, destroy } = await read(steps);
			expect({ text, error }).toEqual({ text: before, error: 'waits' });
			passes(59);
			await sleep(0);
			expect(destroy).not.toHaveBeenCalled();
			passes(1);
			await expect(reading).rejects.toMatchObject({ reason: 'timedOut', retryable: true });
			expect(destroy).toHaveBeenCalled();
		},
	);

	test('does not include the time that the reader takes', async () => {
		const { answer } = answerOf(['a', 'b']);
		const chunks = limitedBody(answer, { maxBytes: 9, deadlineMs: Infinity });
		await chunks.next();
		passes(120);
		expect((await chunks.next()).done).toBe(false);
	});

	test('that lasts until the deadline ends the reading', async () => {
		const { reading } = await read([SILENT], { deadlineMs: 1_000_400 });
		passes(1);
		await expect(reading).rejects.toMatchObject({ reason: 'deadlineExceeded' });
	});
});

test('a text is read without its byte order mark', async () => {
	const { answer } = answerOf(['\ufeff[]']);
	expect(await readText(answer, Infinity)).toBe('[]');
});

test('a text is read as it is, wherever chunks cut its characters', async () => {
	const text = 'ä€😀'.repeat(3);
	const bytes = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
	expect(await readText(answerOf(bytes).answer, Infinity)).toBe(text);
	// What is cut at the end shows.
	const cut = await readText(answerOf(bytes.slice(0, -1)).answer, Infinity);
	expect(cut).toBe(`${text.slice(0, -2)}\ufffd`);
});

describe('an error page', () => {
	test.each<[string, Step[], string]>([
		['that is whole', ['not ', 'found'], 'not found'],
		['that is cut off', ['not ', new Error('lost')], 'not '],
		['with nothing in it', [], ''],
	])('%s is read as far as it comes', async (_name, steps, page) => {
		const { answer, destroy } = answerOf(steps);
		expect(await readErrorPage(answer)).toBe(page);
		expect(destroy).toHaveBeenCalled();
	});

	test('of any length is read up to 64 KiB', async () => {
		const { answer, destroy } = answerOf(
			(function* () {
				for (;;) yield 'x'.repeat(1024);
			})(),
		);
		expect(await readErrorPage(answer)).toBe('x'.repeat(64 * 1024));
		expect(destroy).toHaveBeenCalled();
	});

	test('that does not end is waited for 10 seconds', async () => {
		const { answer } = answerOf(['not', SILENT]);
		const page = readErrorPage(answer);
		await sleep(0);
		passes(10);
		expect(await page).toBe('not');
	});
});

describe('the content of an answer', () => {
	test.each([
		['', undefined],
		[' \r\n', undefined],
		['{"a":1}', { a: 1 }],
		['queued', 'queued'],
		['{"a":1}\n{"a":2}', '{"a":1}\n{"a":2}'],
	])('%j is %j', (text, content) => expect(parseBody(text, 200)).toEqual(content));

	test.each(['<html>', '\n <!DOCTYPE html>'])('%j is a web page', (page) => {
		expect(isWebPage(page)).toBe(true);
		expect(() => parseBody(page, 203)).toThrow(
			expect.objectContaining({ reason: 'webPage', httpStatus: 203 }),
		);
	});

	test.each(['', 'a < b', '{"a":"<"}'])('%j is no web page', (page) =>
		expect(isWebPage(page)).toBe(false),
	);
});
