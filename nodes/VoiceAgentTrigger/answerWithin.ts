import { type IWebhookFunctions, sleep } from 'n8n-workflow';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/**
 * Makes sure that a request gets one answer in time: what n8n sends for the workflow, or the fallback if that is too late
 * or cannot be used. n8n has no deadline for this, so the methods that it answers with are replaced, on this one response.
 * @param replyOf makes the answer from what n8n sends, such as the last item or an error; `undefined` if that is not usable
 * @param onFallback gets the reason if the fallback is sent
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
		const methods = ['json', 'send', 'end', 'setHeader', 'setHeaders'];
		Object.assign(response, Object.fromEntries(methods.map((name) => [name, ignore])));
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
