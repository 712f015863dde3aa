import type { ITriggerFunctions } from 'n8n-workflow';

import { type Field, optionsField } from '../fields/field';
import { checkedValues, enteredValues } from '../fields/values';
import { nodeError } from '../nodeError';
import type { Rules } from './waiting';

export const properties = [
	{
		displayName:
			"Each recording starts one execution, the oldest first, once its call ended 60 minutes ago (option 'Minimum Age (Minutes)'). End the workflow with Recording: Delete, or set 'Start Executions Until'. Otherwise the recording starts another execution later.",
		name: 'howItWorks',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Minutes Between Checks',
		name: 'minutesBetweenChecks',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 5,
		description:
			'How often to look for recordings. The trigger also looks when the workflow is published and when n8n starts.',
	},
	optionsField([
		{
			displayName: 'Max per Check',
			name: 'mostPerCheck',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 25,
			description:
				'Max number of executions that one check starts, by default 25. The other recordings wait for the next check.',
		},
		{
			displayName: 'Minimum Age (Minutes)',
			name: 'minimumAge',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 60,
			description:
				'Pass over a recording until its call ended this long ago, by default 60, so that a workflow on the CallEnd webhook is done with it. If the service does not say when the call ended, this counts from when the node first saw the recording.',
		},
		{
			displayName: 'Start Executions Until',
			name: 'startRunsUntil',
			type: 'options',
			options: [
				{ name: 'An Execution Succeeds', value: 'success' },
				{ name: 'The Recording Is Deleted', value: 'deleted' },
			],
			default: 'deleted',
			description:
				"When a recording no longer starts executions, by default when it is deleted. Choose 'An Execution Succeeds' if the workflow leaves recordings at the service.",
		},
		{
			displayName: 'Try Again After (Hours)',
			name: 'tryAgainAfter',
			type: 'number',
			// Much less than this would start an execution while the last one is still beginning.
			typeOptions: { minValue: 0.01 },
			default: 6,
			description:
				'Start another execution for a recording that is still listed this long after its last execution began, by default 6. Enter more than an execution takes.',
		},
	]),
] as const satisfies readonly Field[];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface Settings extends Rules {
	/** The time between two checks, in milliseconds. */
	intervalMs: number;
}

/**
 * The parameters of the node, which are read once: when the workflow is published or n8n starts.
 *
 * @throws NodeOperationError that names the parameter
 */
export function readSettings(context: ITriggerFunctions): Settings {
	try {
		const entered = enteredValues(properties, (field) =>
			context.getNodeParameter(field.name, field.default as string),
		);
		const { minutesBetweenChecks, options } = checkedValues(properties, entered);
		const { minimumAge = 60, mostPerCheck = 25, tryAgainAfter = 6 } = options;
		return {
			intervalMs: minutesBetweenChecks * MINUTE_MS,
			minimumAgeMs: minimumAge * MINUTE_MS,
			mostPerCheck,
			tryAgainAfterMs: tryAgainAfter * HOUR_MS,
			untilSuccess: options.startRunsUntil === 'success',
		};
	} catch (error) {
		throw nodeError(context.getNode(), error);
	}
}
