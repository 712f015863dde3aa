import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type Field, optionsField, type ValuesOf } from '../../fields/field';
import { operation, outputItem } from '../../fields/operation';
import { type JsonAnswer, request } from '../../service/http/request';
import { canonicalSessionGuid, findSessionGuid } from '../../service/sessionGuid';
import { oncePerItem } from '../oncePerItem';
import { passThrough } from '../passThrough';
import {
	requireSomebodyToCall,
	formBody,
	namedBody,
	NUMBER_FIELD,
	numberBody,
	parsedBody,
} from '../requestBody';
import { detailsFields } from './callDetails';
import { callingHoursField, requireCallingHours, timeZoneField } from './callingHours';
import { placeOncePerKey, requireMaxCalls, requireMayPlace } from './callGuard';
import { callStatusAfter } from './callStatus';
import { destinationFieldOf, destinationIn, guardDestination } from './destinationGuard';
import { doNotCallField } from './doNotCall';

export const MAKE_CALL_PATH = '/api/customer/makecall';

const fields = [
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
		callingHoursField,
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
		timeZoneField,
	]),
] as const satisfies readonly Field[];

type CallValues = ValuesOf<typeof fields>;

export const make = operation({
	name: 'Make',
	value: 'make',
	action: 'Make call',
	description:
		'Place an outbound call that connects a recipient to the voice agent. Every execution dials, so never repeat a call that may have been placed.',
	usesAccount: true,
	fields,
	oneAtATime: true,
	async execute(values, itemIndex) {
		const answer = await placeCall(this, values, itemIndex).catch(rejectWithStatus);
		return [outputItem(itemIndex, withRecordingKey(passThrough(answer)))];
	},
});

async function placeCall(
	context: IExecuteFunctions,
	{ options, ...values }: CallValues,
	itemIndex: number,
): Promise<JsonAnswer> {
	const numberField = destinationFieldOf(options);
	const entered = enteredBody(values, numberField);
	requireSomebodyToCall(entered, numberField);
	requireMayPlace(context, options);
	const body = guardDestination(entered, options);

	const unclearReason = 'callMayHaveBeenPlaced';
	const place = async () => {
		const call = { itemIndex, body, ambiguous: unclearReason } as const;
		return await request(context, 'POST', MAKE_CALL_PATH, call);
	};
	const call = { body, unclearReason } as const;
	return await oncePerItem(context, itemIndex, call, async (placedBefore) => {
		// All items of this run count, so that either all of them are called or none.
		const planned = placedBefore + context.getInputData().length;
		requireMaxCalls(planned, options.maxCalls);
		const { callingHours, timeZone, placeOnce } = options;
		requireCallingHours(destinationIn(body, options), callingHours, timeZone);
		if (placeOnce === undefined) return await place();
		return await placeOncePerKey(context, placeOnce, place);
	});
}

/** With what it means for the call: a workflow that calls a list of numbers notes it for each. */
async function rejectWithStatus(error: Error): Promise<never> {
	return await Promise.reject(Object.assign(error, { callStatus: callStatusAfter(error) }));
}

/** With the key under which its recording is noted later, if the answer names one session. */
function withRecordingKey(answer: IDataObject): IDataObject {
	const found = findSessionGuid(answer);
	if ('problem' in found) return answer;
	const { sessionGuid } = found;
	return { ...answer, sessionGuid, recordingKey: canonicalSessionGuid(sessionGuid) };
}

/** The call as the user has entered it, in one of four ways. */
function enteredBody(values: ValuesOf<typeof detailsFields>, numberField: string): IDataObject {
	switch (values.specifyBody) {
		case 'number':
			return numberBody(values.to, numberField, values.moreFields);
		case 'fields':
			return namedBody(values.fields);
		case 'service':
			return formBody(values.serviceFields);
		case 'json':
			return parsedBody(values.jsonBody);
	}
}
