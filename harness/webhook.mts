/** Webhooks as the service sends them. */
import { WEBHOOK_HEADER, WEBHOOK_SECRET } from './stack.mts';

/** Posts a webhook, with the secret that the stack's credential asks for. */
export async function postWebhook(url: string, body: string): Promise<Response> {
	return await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json', [WEBHOOK_HEADER]: WEBHOOK_SECRET },
		body,
	});
}
