import { sleep } from 'n8n-workflow';

import { answerWithin } from '../../nodes/VoiceAgentTrigger/answerWithin';

type Response = Parameters<typeof answerWithin>[0];

/** By what n8n sends. */
const replies: Record<string, object | string> = { yes: { reply: 'yes' }, text: '{"a":1.0}' };

/** What n8n answers with, and what the service gets. */
function answering(deadlineMs: number) {
	const sent: unknown[] = [];
	const reasons: string[] = [];
	let status = 0;
	const response = {
		headersSent: false,
		status: (code: number) => void (status = code),
		type: (type: string) => ({ send: (body: unknown) => sent.push([status, type, body]) }),
		json: (body: unknown) => sent.push([status, body]),
		send: () => sent.push('by n8n'),
		end: () => sent.push('ended'),
		setHeader: () => sent.push('header'),
		setHeaders: () => sent.push('headers'),
	};
	answerWithin(response as unknown as Response, {
		deadlineMs,
		fallback: { fallback: true },
		replyOf: (body) => replies[String(body)],
		onFallback: (why) => void reasons.push(why),
	});
	return { sent, reasons, response: response as unknown as Response };
}

const later = async () => await sleep(60);

test.each(['json', 'send'] as const)('what n8n sends by %s is the answer, once', async (method) => {
	const { sent, reasons, response } = answering(20);
	expect(response[method]('yes')).toBe(response);
	for (const again of ['json', 'send', 'end'] as const) expect(response[again]()).toBe(response);
	expect(response.setHeader('a', 'b')).toBe(response);
	expect(response.setHeaders(new Map())).toBe(response);
	await later();
	expect(sent).toEqual([[200, { reply: 'yes' }]]);
	expect(reasons).toEqual([]);
});

test('an answer that is text is sent as it is, as JSON', () => {
	const { sent, response } = answering(20);
	expect(response.send('text')).toBe(response);
	expect(sent).toEqual([[200, 'json', '{"a":1.0}']]);
});

test('what is not usable, or too late, is replaced by the fallback, once', async () => {
	const unusable = answering(20);
	unusable.response.json('no');
	const late = answering(20);
	await later();
	late.response.json('yes');
	for (const { sent } of [unusable, late]) expect(sent).toEqual([[200, { fallback: true }]]);
	expect(unusable.reasons).toEqual(['the workflow failed or gave no instructions']);
	expect(late.reasons).toEqual(['the workflow gave no instructions within 20 ms']);
});

test('an answer that has begun in another way stays as it is', async () => {
	const { sent, response } = answering(20);
	Object.assign(response, { headersSent: true });
	await later();
	expect(sent).toEqual([]);
});
