import { type IWebhookFunctions, sleep } from 'n8n-workflow';

type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

interface AnswerOptions {
	deadlineMs: number;
	/**
	 * Makes the answer from what n8n sends for the workflow, such as the last item or an error.
	 * Returns `undefined` if that cannot be used, and text if it is JSON that is sent as it is.
	 */
	replyOf: (body: unknown) => object | string | undefined;
	/** The answer if there is no other one in time. */
	fallback: object;
	/** Called with the reason if the fallback is sent. */
	onFallback: (why: string) => void;
}

/**
 * Makes sure that a request gets one answer in time: what n8n sends for the workflow, or the
 * fallback if that comes too late or cannot be used.
 *
 * n8n has no deadline for this, and it would fail if the answer had already been sent. So the
 * methods that it answers with are replaced, on this one response.
 */
export function answerWithin(response: Response, options: AnswerOptions): void {
	const { json, send } = response;
	let isAnswered = false;

	function answer(reply: object | string): void {
		isAnswered = true;
		Object.assign(response, { json, send });
		response.status(200);
		if (typeof reply === 'string') response.type('json').send(reply);
		else response.json(reply);
		// What n8n still sends after this is ignored.
		const ignore = () => response;
		Object.assign(response, {
			json: ignore,
			send: ignore,
			end: ignore,
			setHeader: ignore,
			setHeaders: ignore,
		});
	}

	function answerForWorkflow(body: unknown): Response {
		const reply = options.replyOf(body);
		if (!reply) options.onFallback('the workflow failed or gave no instructions');
		answer(reply ?? options.fallback);
		return response;
	}
	Object.assign(response, { json: answerForWorkflow, send: answerForWorkflow });

	void sleep(options.deadlineMs).then(() => {
		if (isAnswered || response.headersSent) return;
		options.onFallback(`the workflow gave no instructions within ${options.deadlineMs} ms`);
		answer(options.fallback);
	});
}
