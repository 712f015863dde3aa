import { operation, outputItem } from '../../fields/operation';
import { request } from '../../service/http/request';
import { oncePerItem } from '../oncePerItem';
import { passThrough } from '../passThrough';
import { namedBody, namedFields } from '../requestBody';

const SMS_PATH = '/api/customer/sms';

/** The statuses by which the service may say that it does not offer this yet. */
const statusReasons = {
	404: 'notYetAvailable',
	405: 'notYetAvailable',
	501: 'notYetAvailable',
} as const;

export const send = operation({
	name: 'Send',
	value: 'send',
	action: 'Send SMS (not yet available)',
	description: 'Send a text message (SMS). Not yet available from the service.',
	usesAccount: true,
	fields: [
		{
			displayName:
				'Not yet available: the service has announced SMS as coming soon. Until then, this operation sends nothing and fails.',
			name: 'notYetAvailable',
			type: 'notice',
			default: '',
		},
		namedFields,
	],
	oneAtATime: true,
	async execute({ fields }, itemIndex) {
		const body = namedBody(fields);
		const unclearReason = 'messageMayHaveBeenSent';
		const message = { body, unclearReason } as const;
		const answer = await oncePerItem(this, itemIndex, message, async () => {
			const options = { itemIndex, body, ambiguous: unclearReason, statusReasons } as const;
			return await request(this, 'POST', SMS_PATH, options);
		});
		return [outputItem(itemIndex, passThrough(answer))];
	},
});
