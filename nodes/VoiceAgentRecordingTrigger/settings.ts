import type { INodeProperties, ITriggerFunctions } from 'n8n-workflow';

import { checkedValue } from '../fields/checkedValue';
import { nodeError } from '../nodeError';
import { properties } from './properties';
import type { Rules } from './waitingRecordings';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export interface Settings extends Rules {
	/** The time between two checks, in milliseconds. */
	intervalMs: number;
	/** From this age on, `alarm` is set. */
	alarmAfterMs: number;
}

/**
 * The parameters of the node. They are read once, when the workflow is published or n8n starts.
 *
 * @throws NodeOperationError that names the parameter
 */
export function readSettings(context: ITriggerFunctions): Settings {
	const options = read(context, 'options') as Record<string, number | undefined>;
	const { alarmFromDay = 5, minimumAge = 60, mostPerCheck = 25, tryAgainAfter = 6 } = options;
	return {
		intervalMs: Number(read(context, 'minutesBetweenChecks')) * MINUTE_MS,
		alarmAfterMs: alarmFromDay * DAY_MS,
		minimumAgeMs: minimumAge * MINUTE_MS,
		mostPerCheck,
		tryAgainAfterMs: tryAgainAfter * HOUR_MS,
		untilSuccess: context.getNodeParameter('options.startRunsUntil', '') === 'success',
	};
}

function read(context: ITriggerFunctions, name: string): unknown {
	const field = properties.find((one) => one.name === name) as INodeProperties;
	const value = context.getNodeParameter(name, field.default as string);
	try {
		return checkedValue(field, value);
	} catch (error) {
		throw nodeError(context.getNode(), error);
	}
}
