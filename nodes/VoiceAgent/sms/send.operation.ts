import { itemOf, operation } from '../../fields/operation';
import { request } from '../../service/http/request';
import { oncePerItem } from '../oncePerItem';
import { passThrough } from '../passThrough';
import { fieldsBelow, jsonBody, requestBody } from '../requestBody';

export const send = operation({
	name: 'Send',
	value: 'send',
	action: 'Send SMS (not yet available)',
	description: 'Send a text message (SMS). Not yet available from the service.',
	credentials: [{ name: 'voiceAgentApi' }],
	fields: [
		{
			displayName:
				'Not yet available: the service has announced SMS as coming soon. Until then, this operation sends nothing and fails.',
			name: 'notYetAvailable',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Specify Message Details',
			name: 'specifyBody',
			type: 'options',
			noDataExpression: true,
			default: 'fields',
			options: [
				{ name: 'Using Fields Below', value: 'fields' },
				{ name: 'Using JSON', value: 'json' },
			],
			description: 'How to enter the message details',
		},
		fieldsBelow,
		jsonBody,
	],
	oneAtATime: true,
	async execute(values, itemIndex) {
		const body = requestBody(values);
		const ambiguous = 'messageMayHaveBeenSent';
		const answer = await oncePerItem(
			this,
			itemIndex,
			{ body, ambiguous },
			async () =>
				await request(this, 'POST', '/api/customer/sms', {
					itemIndex,
					body,
					ambiguous,
					statusReasons: { 404: 'notYetAvailable', 405: 'notYetAvailable', 501: 'notYetAvailable' },
				}),
		);
		return [itemOf(itemIndex, passThrough(answer))];
	},
});
