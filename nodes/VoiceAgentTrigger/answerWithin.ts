import type { IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/**
 * Sees to it that a request gets one answer in time: what n8n sends for the workflow, or the fallback if that comes too
 * late or is of no use. n8n has no deadline of its own and would fail on an answer that was sent before, so the methods
 * by which it answers are replaced, on this one response.
 *
 * @param replyOf the answer for what n8n sends, such as the last item or an error; `undefined` if it is of no use
 * @param onFallback is told why the fallback was sent
 */
export function answerWithin(
	response: Response,
	options: {
		deadlineMs: number;
		replyOf: (body: unknown) => object | undefined;
		fallback: object;
		onFallback: (why: string) => void;
	},
): void {
	const { json, send } = response;
	let isAnswered = false;

	function answer(reply: object): void {
		isAnswered = true;
		Object.assign(response, { json, send });
		response.status(200).json(reply);
		const ignore = () => response;
		Object.assign(response, {
			...{ json: ignore, send: ignore, end: ignore },
			...{ setHeader: ignore, setHeaders: ignore },
		});
	}

	const answerOfN8n = (body: unknown) => {
		const reply = options.replyOf(body);
		if (!reply) options.onFallback('the workflow failed or gave no instructions');
		answer(reply ?? options.fallback);
		return response;
	};
	Object.assign(response, { json: answerOfN8n, send: answerOfN8n });

	void sleep(options.deadlineMs).then(() => {
		if (isAnswered || response.headersSent) return;
		options.onFallback(`the workflow gave no instructions within ${options.deadlineMs} ms`);
		answer(options.fallback);
	});
}
