import type { IDataObject } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../errors';
import { callEndField, sessionGuidField } from '../../fields/namedFields';
import { itemOf, operation } from '../../fields/operation';
import { mapWithBreaks } from '../../service/breaks';
import type { ListedRecording } from '../../service/recordings';
import { readRecordings } from '../../service/recordings';

/** More fields than that are not simple. */
const MAX_FIELDS = 1_000;

export const getMany = operation({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many recordings',
	description: 'List the recordings that the service still keeps',
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
						'Sent along with the request. The service lists the parameters it knows in its Swagger UI.',
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
		const { expiringWithin } = options;
		const wanted = returnAll ? Infinity : limit;
		const { recordings: listed, incomplete } = await readRecordings(this, {
			itemIndex,
			query: queryOf(options.query?.parameter),
			// The filter needs all recordings. The limit applies afterwards.
			limit: expiringWithin === undefined ? wanted : Infinity,
			sessionGuidField: options.sessionGuidField?.trim(),
			callEndField: options.callEndField?.trim(),
		});
		if (incomplete) {
			if (options.ifIncomplete !== 'return') throw incomplete;
			const { message } = incomplete;
			this.addExecutionHints({ type: 'warning', location: 'outputPane', message });
		}
		const recordings = expiringWithin === undefined ? listed : expiring(listed, expiringWithin);
		return await mapWithBreaks(recordings.slice(0, wanted), (one) =>
			itemOf(itemIndex, simple ? simplified(one) : { ...one }),
		);
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
 * The recordings that the service purges within this many hours, and those whose end of call is unknown: no recording
 * must be lost because the filter cannot judge it.
 */
function expiring(listed: ListedRecording[], hours: number): ListedRecording[] {
	if (listed.length > 0 && listed.every(({ hoursLeft }) => hoursLeft === null)) {
		throw new VoiceAgentError('callEndUnknown');
	}
	return listed.filter(({ hoursLeft }) => hoursLeft === null || hoursLeft <= hours);
}

/**
 * What is known about the recording, and the first values of its record, without nested ones. What is known takes precedence
 * over a field of the same name, such as `callEndedAt`, whose format is not known.
 */
function simplified({ recording, ...known }: ListedRecording): IDataObject {
	const plain: IDataObject = {};
	for (const name of Object.keys(recording).slice(0, MAX_FIELDS)) {
		const value = recording[name];
		const isNested = value !== null && typeof value === 'object';
		if (!isNested && name.toLowerCase() !== 'sessionguid') plain[name] = value;
	}
	return { ...known, ...plain, ...known };
}
