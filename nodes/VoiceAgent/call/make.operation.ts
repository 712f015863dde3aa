import { optionsField } from '../../fields/field';
import { itemOf, operation } from '../../fields/operation';
import { request } from '../../service/http/request';
import { oncePerItem, passThrough } from '../oncePerItem';
import {
	assertSomebodyIsCalled,
	formBody,
	namedBody,
	NUMBER_FIELD,
	numberBody,
	parsedBody,
} from '../requestBody';
import { detailsFields } from './callDetails';
import { assertMayPlace, placeOnce, requireMaxCalls, withAllowedDestination } from './callGuard';
import { doNotCallField, parseDoNotCall } from './doNotCall';

export const MAKE_CALL_PATH = '/api/customer/makecall';

export const make = operation({
	name: 'Make',
	value: 'make',
	action: 'Make call',
	description:
		'Place an outbound call that connects a recipient to the voice agent. Every execution dials, so never repeat a call that may have been placed.',
	fields: [
		...detailsFields,
		optionsField([
			{
				displayName: 'Allowed Destinations',
				name: 'allowedDestinations',
				type: 'string',
				default: '',
				placeholder: 'e.g. +1555*, +4930????????',
				description:
					'Only call numbers that match one of these patterns, separated by commas. * stands for any number of digits, ? for one. Recommended if an AI agent places calls.',
			},
			{
				displayName: 'Claimed By',
				name: 'claimedBy',
				type: 'string',
				default: '',
				placeholder: 'e.g. {{ $json.claim }}',
				description:
					'ID of the execution that has claimed this call, as noted in your table. If it is another one, such as before a Retry, the call is refused.',
			},
			{
				displayName: 'Destination Field',
				name: 'destinationField',
				type: 'string',
				default: NUMBER_FIELD,
				placeholder: 'e.g. to',
				description:
					"Name under which the service takes the number to call: 'To' is sent in this field, and 'Allowed Destinations' and 'Do Not Call' check it",
			},
			doNotCallField,
			{
				displayName: 'Max Calls per Execution',
				name: 'maxCalls',
				type: 'number',
				typeOptions: { minValue: 1, numberPrecision: 0 },
				default: 1,
				description:
					'Max number of calls that this node places in one execution of the workflow. If there are more items, it places no call.',
			},
			{
				displayName: 'Place Once per Key',
				name: 'placeOnce',
				type: 'string',
				default: '',
				placeholder: 'e.g. {{ $json.orderId }}',
				description:
					'Text that stands for this call, such as an order number. A second call with the same key is refused, in any execution.',
			},
		]),
	],
	oneAtATime: true,
	async execute({ options, ...values }, itemIndex) {
		const {
			allowedDestinations,
			destinationField = NUMBER_FIELD,
			maxCalls,
			placeOnce: key,
		} = options;
		const bodies = {
			number: () => numberBody(values.to, destinationField.trim(), values.moreFields),
			fields: () => namedBody(values.fields),
			service: () => formBody(values.serviceFields),
			json: () => parsedBody(values.jsonBody),
		};
		let body = bodies[values.specifyBody]();
		assertSomebodyIsCalled(body, destinationField.trim());
		assertMayPlace(this, options);
		const doNotCall = 'doNotCall' in options ? parseDoNotCall(options.doNotCall) : undefined;
		if (allowedDestinations !== undefined || doNotCall) {
			body = withAllowedDestination(
				body,
				destinationField,
				allowedDestinations ?? '*,+*',
				doNotCall,
			);
		}
		const ambiguous = 'callMayHaveBeenPlaced';
		const place = async () =>
			await request(this, 'POST', MAKE_CALL_PATH, { itemIndex, body, ambiguous });
		const answer = await oncePerItem(this, itemIndex, { body, ambiguous }, async (placedBefore) => {
			requireMaxCalls(placedBefore + this.getInputData().length, maxCalls);
			return await (key === undefined ? place() : placeOnce(this, key, place));
		});
		return [itemOf(itemIndex, passThrough(answer))];
	},
});
