import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { itemOf, operation } from '../../fields/operation';
import { parseQuery } from '../../service/credentials/apiCredential';
import { recordingPages } from '../../service/recordings';
import type { ListedRecording } from '../../service/listedRecording';

/** Of a simplified recording (n8n's UX guidelines). */
const MAX_FIELDS = 10;

export const getMany = operation({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many recordings',
	description: 'Retrieve a list of the recordings that the service still has',
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
			displayOptions: { hide: { '@tool': [true] } },
		},
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			options: [
				{ name: 'Raw', value: 'raw' },
				{ name: 'Selected Fields', value: 'selectedFields' },
				{ name: 'Simplified', value: 'simplified' },
			],
			default: 'simplified',
			description: 'What an AI agent gets to read of each recording',
			displayOptions: { show: { '@tool': [true] } },
		},
		{
			displayName: 'Fields',
			name: 'outputFields',
			type: 'string',
			default: '',
			placeholder: 'e.g. hoursLeft, to',
			description: 'Names of fields to output beside the session GUID, separated by commas',
			displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			placeholder: 'Add option',
			options: [
				{
					displayName: 'Query Parameters',
					name: 'query',
					type: 'string',
					default: '',
					placeholder: 'e.g. from=2026-11-01&to=2026-11-30',
					description:
						"Sent with the request. The service's Swagger UI lists the parameters that it knows.",
				},
			],
		},
	],
	async execute({ returnAll, limit, simple, output, outputFields, options }, itemIndex) {
		const wanted = returnAll ? Infinity : limit;
		const query = parseQuery(options.query ?? '', "'Query Parameters'");
		const shown = (one: ListedRecording) =>
			output === 'selectedFields'
				? selected(one, outputFields)
				: output === 'raw' || !simple
					? { ...one }
					: simplified(one);
		const items: INodeExecutionData[] = [];
		for await (const { recordings, incomplete } of recordingPages(this, { itemIndex, query })) {
			for (const one of recordings.slice(0, wanted - items.length)) {
				items.push(itemOf(itemIndex, shown(one)));
			}
			if (items.length >= wanted) break;
			if (!incomplete) continue;
			if (incomplete.reason === 'incompleteList') throw incomplete;
			const message = incomplete.fullText;
			this.addExecutionHints({ type: 'warning', location: 'outputPane', message });
		}
		return items;
	},
});

/**
 * What is known about the recording, and the first values of its record, without nested ones. What is known takes precedence
 * over a field of the same name, such as `callEndedAt`, whose format is not known.
 */
function simplified({ recording, ...known }: ListedRecording): IDataObject {
	const isShown = (name: string) => !(name in known) && name.toLowerCase() !== 'sessionguid';
	const others = Object.entries(recording).filter(
		([name, value]) => isShown(name) && (value === null || typeof value !== 'object'),
	);
	const room = MAX_FIELDS - Object.keys(known).length;
	return { ...known, ...Object.fromEntries(others.slice(0, room)) };
}

function selected({ recording, ...known }: ListedRecording, names: string): IDataObject {
	const all: IDataObject = { ...recording, ...known };
	const wanted = ['sessionGuid', ...names.split(',').map((name) => name.trim())];
	return Object.fromEntries(wanted.filter((name) => name in all).map((name) => [name, all[name]]));
}
