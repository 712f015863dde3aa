import type { IDataObject } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../errors';
import { callEndField, sessionGuidField } from '../../fields/namedFields';
import { itemOf, operation } from '../../fields/operation';
import type { ListedRecording } from '../../service/recordings';
import { readRecordings } from '../../service/recordings';

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
			// A filter must see all of them before the limit counts.
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
		return recordings
			.slice(0, wanted)
			.map((one) => itemOf(itemIndex, simple ? simplified(one) : { ...one }));
	},
});

/** Parameters by name; the same name may not be given twice, because n8n would send only one of them. */
function queryOf(parameters: Array<{ name: string; value: string }> = []): Record<string, string> {
	const named = parameters.map(({ name, value }) => [name.trim(), value] as const);
	if (named.some(([name]) => name === '')) {
		throw invalid("a query parameter in 'Query Parameters' has no name");
	}
	return Object.fromEntries(named);
}

/**
 * The recordings that are purged within so many hours. Those whose end of call is unknown stay in: a recording must not
 * be lost because a filter could not judge it.
 */
function expiring(listed: ListedRecording[], hours: number): ListedRecording[] {
	if (listed.length > 0 && listed.every(({ hoursLeft }) => hoursLeft === null)) {
		throw new VoiceAgentError('callEndUnknown');
	}
	return listed.filter(({ hoursLeft }) => hoursLeft === null || hoursLeft <= hours);
}

/**
 * What is known of the recording, and the plain values of its record; nested ones are left out. A field of the record
 * that has the name of a known one, such as `callEndedAt`, does not take its place: it may be spelt in any way.
 */
function simplified({ recording, ...known }: ListedRecording): IDataObject {
	const plain = Object.entries(recording).filter(
		([name, value]) =>
			name.toLowerCase() !== 'sessionguid' && (value === null || typeof value !== 'object'),
	);
	return { ...known, ...Object.fromEntries(plain), ...known };
}
