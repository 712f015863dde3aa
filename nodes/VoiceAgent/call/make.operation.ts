import { itemOf, operation } from '../operation';
import { passThrough } from '../passThrough';
import { fieldsBelow, jsonBody, requestBody } from '../requestBody';
import { request } from '../transport';

export const make = operation({
	name: 'Make',
	value: 'make',
	action: 'Make a call',
	description: 'Place an outbound call that connects a recipient to the voice agent',
	fields: [
		{
			displayName: 'Specify Call Details',
			name: 'specifyBody',
			type: 'options',
			noDataExpression: true,
			default: 'fields',
			options: [
				{ name: 'Using Fields Below', value: 'fields' },
				{ name: 'Using JSON', value: 'json' },
			],
			description: 'How to enter the call details',
		},
		fieldsBelow,
		jsonBody,
	],
	oneAtATime: true,
	async execute(values, itemIndex) {
		const answer = await request(this, 'POST', '/api/customer/makecall', {
			body: requestBody(values),
			ambiguous: 'callMayHaveBeenPlaced',
		});
		return [itemOf(itemIndex, passThrough(answer))];
	},
});
