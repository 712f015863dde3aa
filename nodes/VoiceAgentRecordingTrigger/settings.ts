import type { INodeProperties, ITriggerFunctions } from 'n8n-workflow';

import { checkedValue } from '../fields/checkedValue';
import { operationError } from '../nodeError';
import { properties } from './properties';
import type { Rules } from './waitingRecordings';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export interface Settings {
	/** Either a cron expression, or the time between two checks. */
	schedule: { cronExpression: string } | { intervalMs: number };
	rules: Rules;
	sessionGuidField: string;
	callEndField: string;
}

/** The options that were added, checked. */
interface Options {
	alarmFromDay?: number;
	callEndField?: string;
	minimumAge?: number;
	mostPerCheck?: number;
	sessionGuidField?: string;
	startRunsUntil?: 'deleted' | 'success';
	tryAgainAfter?: number;
}

/**
 * The parameters of the node. They are read once, when the workflow is published or n8n starts.
 *
 * @throws NodeOperationError that names the parameter
 */
export function readSettings(context: ITriggerFunctions): Settings {
	const options = read(context, 'options') as Options;
	const { alarmFromDay = 5, minimumAge, mostPerCheck = 25, tryAgainAfter = 6 } = options;
	return {
		schedule: readSchedule(context),
		rules: {
			alarmAfterMs: alarmFromDay * DAY_MS,
			minimumAgeMs: (minimumAge ?? 15) * MINUTE_MS,
			// Longer than a call takes, because it may still be going on.
			minimumAgeWithoutEndMs: (minimumAge ?? 60) * MINUTE_MS,
			mostPerCheck,
			tryAgainAfterMs: tryAgainAfter * HOUR_MS,
			untilSuccess: options.startRunsUntil === 'success',
		},
		sessionGuidField: (options.sessionGuidField ?? '').trim(),
		callEndField: (options.callEndField ?? '').trim(),
	};
}

function readSchedule(context: ITriggerFunctions): Settings['schedule'] {
	switch (read(context, 'checkInterval')) {
		case 'cronExpression':
			return { cronExpression: String(read(context, 'cronExpression')).trim() };
		case 'hours':
			return { intervalMs: Number(read(context, 'hoursBetweenChecks')) * HOUR_MS };
		default:
			return { intervalMs: Number(read(context, 'minutesBetweenChecks')) * MINUTE_MS };
	}
}

function read(context: ITriggerFunctions, name: string): unknown {
	const field = properties.find((one) => one.name === name) as INodeProperties;
	const value = context.getNodeParameter(name, field.default as string);
	try {
		return checkedValue(field, value);
	} catch (error) {
		throw operationError(context.getNode(), error);
	}
}
