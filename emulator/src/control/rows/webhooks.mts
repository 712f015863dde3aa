import { Type } from 'typebox';
import { ServiceError } from '../../errors.mts';
import { requireDeliveryOptions, requireSeenSignature } from '../../webhooks/deliverySettings.mts';
import { ref, SessionGuidParams, strict } from '../../schema.mts';
import { callEndBodyOfRecording, givenPayload, webhookPayload } from '../../webhooks/payload.mts';
import { Delivery, DeliveryOptions, WebhookTargets } from '../../webhooks/schemas.mts';
import { control } from '../row.mts';

export const webhookControls = {
	webhooks: control({
		method: 'GET',
		path: '/webhooks',
		summary: 'Webhook targets',
		reply: ref(WebhookTargets),
		run: ({ webhooks }) => webhooks.targets(),
	}),
	/** Sets where webhooks go. An omitted target stays as it is, null switches it off. */
	setWebhooks: control({
		method: 'PUT',
		path: '/webhooks',
		summary: 'Set webhook targets; null turns one off',
		body: WebhookTargets,
		reply: ref(WebhookTargets),
		args: (targets: WebhookTargets) => ({ body: targets }),
		run({ webhooks }, { body }) {
			webhooks.setTargets(body);
			return webhooks.targets();
		},
	}),
	webhookDelivery: control({
		method: 'GET',
		path: '/webhook-delivery',
		summary: 'How webhooks are delivered',
		reply: ref(DeliveryOptions),
		run: ({ webhooks }) => webhooks.options(),
	}),
	/** Sets how webhooks are delivered. An omitted option stays as it is. */
	setWebhookDelivery: control({
		method: 'PUT',
		path: '/webhook-delivery',
		summary: 'Set retries, copies, delays, order, secret and signature of the webhooks',
		body: DeliveryOptions,
		check: (options) => requireDeliveryOptions(options, 'body'),
		reply: ref(DeliveryOptions),
		args: (options: DeliveryOptions) => ({ body: options }),
		run({ webhooks, shapes }, { body }) {
			requireSeenSignature(body, shapes.seen);
			webhooks.setOptions(body);
			return webhooks.options();
		},
	}),
	/**
	 * Sends the CallEnd webhook for a stored recording immediately. A second argument replaces the
	 * whole body, so that the recording need not exist.
	 *
	 * @throws ServiceError 404 for an unknown recording, 409 if no CallEnd target is set
	 */
	sendCallEnd: control({
		method: 'POST',
		path: '/recordings/:sessionGuid/call-end',
		summary: 'Send the CallEnd webhook for a stored recording',
		params: SessionGuidParams,
		body: Type.Object(
			{ body: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
			{ ...strict, description: 'body replaces the whole webhook body' },
		),
		reply: ref(Delivery),
		args: (sessionGuid: string, body?: Record<string, unknown>) => ({
			params: { sessionGuid },
			body: body ? { body } : {},
		}),
		async run({ shapes, recordings, webhooks }, { params: { sessionGuid }, body: { body } }) {
			const { profile } = shapes;
			const payload = body
				? givenPayload(body, profile.delivery('callEnd'))
				: webhookPayload(callEndBodyOfRecording(await recordings.get(sessionGuid)), profile);
			const delivery = await webhooks.deliver('CallEnd', sessionGuid, payload);
			if (!delivery) {
				throw new ServiceError(409, 'no_webhook_target', 'No CallEnd target is set', ['callEnd']);
			}
			return delivery;
		},
	}),
	/** Webhooks that were sent, oldest first. */
	deliveries: control({
		method: 'GET',
		path: '/deliveries',
		summary: 'Webhooks that were sent, each attempt with headers, body, reply and time',
		reply: Type.Array(ref(Delivery)),
		run: ({ webhooks }) => webhooks.deliveries(),
	}),
};
