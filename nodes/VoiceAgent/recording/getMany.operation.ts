import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { plainName } from '../../data/json';
import { optionsField } from '../../fields/field';
import { operation, outputItem } from '../../fields/operation';
import { parseQuery } from '../../service/apiCredential';
import { type ListedRecording, recordingPages } from '../../service/recordings';

/** Of a simplified recording (n8n's UX guidelines). */
const MAX_FIELDS = 10;

export const getMany = operation({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many recordings',
	description: 'Retrieve a list of the recordings that the service still has',
	usesAccount: true,
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
			description: 'Names of fields to output with the session GUID, separated by commas',
			displayOptions: { show: { '@tool': [true], output: ['selectedFields'] } },
		},
		optionsField([
			{
				displayName: 'Query Parameters',
				name: 'query',
				type: 'string',
				default: '',
				placeholder: 'e.g. from=2026-11-01&to=2026-11-30',
				description: "Sent with the request. The service's Swagger UI lists them.",
			},
		]),
	],
	async execute(values, itemIndex) {
		const wanted = values.returnAll ? Infinity : values.limit;
		const query = parseQuery(values.options.query ?? '', "'Query Parameters'");
		const items: INodeExecutionData[] = [];
		for await (const { recordings, incomplete } of recordingPages(this, { itemIndex, query })) {
			for (const one of recordings.slice(0, wanted - items.length)) {
				items.push(outputItem(itemIndex, outputOf(one, values)));
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

interface Output {
	simple: boolean;
	output: string;
	outputFields: string;
}

/** What is output of a recording. */
export function outputOf(
	one: ListedRecording,
	{ simple, output, outputFields }: Output,
): IDataObject {
	if (output === 'selectedFields') return selected(one, outputFields);
	return output === 'raw' || !simple ? { ...one } : simplified(one);
}

/**
 * What is known about the recording, with the numbers of its call, and the first values of its
 * record that are not nested.
 */
function simplified({ recording, ...known }: ListedRecording): IDataObject {
	const { sessionGuid, recordingKey, to, from, endedAt, hoursLeft, direction, ...more } = known;
	const keys = { sessionGuid, recordingKey };
	const first: IDataObject = { ...keys, to, from, endedAt, hoursLeft, ...more };
	// Unlike the others, no workflow expects it: where it is unknown, it is no use to anybody.
	if (direction !== null) first.direction = direction;
	const shown = Object.keys(known).map(plainName);
	const others = Object.entries(recording)
		.filter(([name]) => !shown.includes(plainName(name)))
		.filter(([, value]) => value === null || (typeof value !== 'object' && value !== endedAt));
	return Object.fromEntries([...Object.entries(first), ...others].slice(0, MAX_FIELDS));
}

function selected({ recording, ...known }: ListedRecording, names: string): IDataObject {
	const all: IDataObject = { ...recording, ...known };
	const wanted = ['sessionGuid', ...names.split(',').map((name) => name.trim())];
	return Object.fromEntries(wanted.filter((name) => name in all).map((name) => [name, all[name]]));
}
