import { itemOf, operation } from '../operation';
import { listRecordings } from './list';

export const getMany = operation({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many recordings',
	description: 'List the recordings that the service still keeps',
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
	],
	async execute({ returnAll, limit }, itemIndex) {
		const recordings = await listRecordings(this);
		return recordings
			.slice(0, returnAll ? undefined : limit)
			.map((one) => itemOf(itemIndex, { ...one }));
	},
});
