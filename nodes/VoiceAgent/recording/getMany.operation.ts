import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../errors';
import { callEndField, sessionGuidField } from '../../fields/namedFields';
import { itemOf, operation } from '../../fields/operation';
import { isBreakDue, takeBreak } from '../../data/breaks';
import type { ListedRecording } from '../../service/list/recordings';
import { recordingPages } from '../../service/list/recordings';

/** Of a simplified recording (n8n's UX guidelines). */
const MAX_FIELDS = 10;

export const getMany = operation({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many recordings',
	description: 'Retrieve a list of the recordings that the service still has',
	credentials: [{ name: 'voiceAgentApi' }],
	fields: [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 50,
			description: 'Max number of results to return',
			displayOptions: { show: { returnAll: [false] } },
		},
		{
			displayName: 'Simplify',
			name: 'simple',
			type: 'boolean',
			default: true,
			description: 'Whether to return a simplified version of the response instead of the raw data',
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			placeholder: 'Add option',
			options: [
				callEndField,
				{
					displayName: 'Expiring Within (Hours)',
					name: 'expiringWithin',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 48,
					description:
						'Only return recordings that the service purges within this time. Recordings whose end of call is unknown are returned too.',
				},
				{
					displayName: 'If List Is Incomplete',
					name: 'ifIncomplete',
					type: 'options',
					options: [
						{ name: 'Fail', value: 'fail' },
						{ name: 'Return What Was Read', value: 'return' },
					],
					default: 'fail',
					description:
						'What to do if the service says that there are more recordings than could be read',
				},
				{
					displayName: 'Query Parameters',
					name: 'query',
					type: 'fixedCollection',
					typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Query Parameter' },
					default: {},
					placeholder: 'Add Query Parameter',
					description:
						"Sent with the request. The service's Swagger UI lists the parameters that it knows.",
					options: [
						{
							displayName: 'Query Parameter',
							name: 'parameter',
							values: [
								{
									displayName: 'Name',
									name: 'name',
									type: 'string',
									default: '',
									placeholder: 'e.g. from',
								},
								{
									displayName: 'Value',
									name: 'value',
									type: 'string',
									default: '',
									placeholder: 'e.g. 2026-11-01',
								},
							],
						},
					],
				},
				sessionGuidField,
			],
		},
	],
	async execute({ returnAll, limit, simple, options }, itemIndex) {
		const { expiringWithin: hours } = options;
		const wanted = returnAll ? Infinity : limit;
		const items: INodeExecutionData[] = [];
		let listed = 0;
		let withEnd = 0;
		const pages = recordingPages(this, {
			itemIndex,
			query: queryOf(options.query?.parameter),
			sessionGuidField: options.sessionGuidField?.trim(),
			callEndField: options.callEndField?.trim(),
		});
		for await (const { recordings, incomplete } of pages) {
			for (const one of recordings) {
				if (isBreakDue()) await takeBreak();
				listed += 1;
				if (one.hoursLeft !== null) withEnd += 1;
				// No recording must be lost because the filter cannot judge it.
				const isWanted = hours === undefined || one.hoursLeft === null || one.hoursLeft <= hours;
				if (isWanted && items.length < wanted) {
					items.push(itemOf(itemIndex, simple ? simplified(one) : { ...one }));
				}
			}
			if (items.length >= wanted && (hours === undefined || withEnd > 0)) break;
			if (!incomplete) continue;
			if (options.ifIncomplete !== 'return') throw incomplete;
			const { message } = incomplete;
			this.addExecutionHints({ type: 'warning', location: 'outputPane', message });
		}
		if (hours !== undefined && listed > 0 && withEnd === 0) {
			throw new VoiceAgentError('callEndUnknown');
		}
		return items;
	},
});

/** Query parameters by name. Of several with the same name, the last one is sent. */
function queryOf(parameters: Array<{ name: string; value: string }> = []): Record<string, string> {
	const named = parameters.map(({ name, value }) => [name.trim(), value] as const);
	if (named.some(([name]) => name === '')) {
		throw invalid("a query parameter in 'Query Parameters' has no name");
	}
	return Object.fromEntries(named);
}

/**
 * What is known about the recording, and the first values of its record, without nested ones. What is known takes precedence
 * over a field of the same name, such as `callEndedAt`, whose format is not known.
 */
function simplified({ recording, ...known }: ListedRecording): IDataObject {
	const simple: IDataObject = { ...known };
	let room = MAX_FIELDS - Object.keys(known).length;
	for (const name of Object.keys(recording)) {
		const value = recording[name];
		const isNested = value !== null && typeof value === 'object';
		if (isNested || name in simple || name.toLowerCase() === 'sessionguid') continue;
		simple[name] = value;
		room -= 1;
		if (room === 0) break;
	}
	return simple;
}
