import { optionsField } from '../../fields/field';
import { itemOf, operation } from '../../fields/operation';
import { request } from '../../service/http/request';
import { oncePerItem, passThrough } from '../oncePerItem';
import { formBody, jsonBody, namedBody, namedFields, parsedBody } from '../requestBody';
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
		{
			displayName: 'Specify Call Details',
			name: 'specifyBody',
			type: 'options',
			noDataExpression: true,
			// The form needs a document of the service, and n8n has no defaults that depend on one.
			default: 'json',
			options: [
				{
					name: 'Using Fields Below',
					value: 'fields',
					description: 'Enter the names of the fields yourself',
				},
				{
					name: 'Using Fields of the Service',
					value: 'service',
					description: "Fill in a form with the fields of the service's Swagger document",
				},
				{ name: 'Using JSON', value: 'json', description: 'Enter the request as JSON' },
			],
			description: 'How to enter the call details',
		},
		{
			displayName: 'Call Details',
			name: 'serviceFields',
			type: 'resourceMapper',
			noDataExpression: true,
			default: { mappingMode: 'defineBelow', value: null },
			required: true,
			typeOptions: {
				resourceMapper: {
					resourceMapperMethod: 'getCallFields',
					mode: 'add',
					fieldWords: { singular: 'field', plural: 'fields' },
					addAllFields: true,
					supportAutoMap: false,
				},
			},
			displayOptions: { show: { specifyBody: ['service'] } },
		},
		{ ...namedFields, displayOptions: { show: { specifyBody: ['fields'] } } },
		{ ...jsonBody, displayOptions: { show: { specifyBody: ['json'] } } },
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
				default: 'to',
				placeholder: 'e.g. to',
				description:
					"Field of the call details with the number to call, which 'Allowed Destinations' and 'Do Not Call' check",
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
		const bodies = {
			fields: () => namedBody(values.fields),
			service: () => formBody(values.serviceFields),
			json: () => parsedBody(values.jsonBody),
		};
		let body = bodies[values.specifyBody]();
		const { allowedDestinations, destinationField = 'to', maxCalls, placeOnce: key } = options;
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
