import type { ITriggerFunctions } from 'n8n-workflow';

import { checkedValues, enteredValues } from '../fields/values';
import { operationError } from '../nodeError';
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
 * The parameters of the node, which are read once: when the workflow is published or n8n starts.
 * @throws NodeOperationError that names the parameter
 */
export function readSettings(context: ITriggerFunctions): Settings {
	try {
		const entered = enteredValues(properties, (field) =>
			context.getNodeParameter(field.name, field.default as string),
		);
		const { minutesBetweenChecks, options } = checkedValues(properties, entered);
		const { alarmFromDay = 5, minimumAge = 60, mostPerCheck = 25, tryAgainAfter = 6 } = options;
		return {
			intervalMs: minutesBetweenChecks * MINUTE_MS,
			alarmAfterMs: alarmFromDay * DAY_MS,
			minimumAgeMs: minimumAge * MINUTE_MS,
			mostPerCheck,
			tryAgainAfterMs: tryAgainAfter * HOUR_MS,
			untilSuccess: options.startRunsUntil === 'success',
		};
	} catch (error) {
		throw operationError(context.getNode(), error);
	}
}
