import type { ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Rules } from '../shared/waitingRecordings';

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

/**
 * The parameters of the node. They are read once, when the workflow is published or n8n starts.
 *
 * @throws NodeOperationError that names the parameter
 */
export function readSettings(context: ITriggerFunctions): Settings {
	const text = (name: string) => String(context.getNodeParameter(name, '')).trim();
	const number = (
		name: string,
		displayName: string,
		{ preset, least, whole = false }: { preset: number; least: number; whole?: boolean },
	) => {
		const value = Number(context.getNodeParameter(name, preset));
		if (Number.isFinite(value) && value >= least && (!whole || Number.isInteger(value)))
			return value;
		throw new NodeOperationError(
			context.getNode(),
			`'${displayName}' must be a ${whole ? 'whole ' : ''}number of at least ${least}`,
		);
	};

	return {
		schedule: readSchedule(),
		rules: {
			alarmAfterMs:
				number('options.alarmFromDay', 'Alarm From Day', { preset: 5, least: 0 }) * DAY_MS,
			minimumAgeMs:
				number('options.minimumAge', 'Minimum Age (Minutes)', { preset: 15, least: 0 }) * MINUTE_MS,
			mostPerCheck: number('options.mostPerCheck', 'Most per Check', {
				preset: 25,
				least: 1,
				whole: true,
			}),
			// Less than a minute would start a run while the last one is still beginning.
			tryAgainAfterMs:
				number('options.tryAgainAfter', 'Try Again After (Hours)', { preset: 6, least: 0.01 }) *
				HOUR_MS,
		},
		sessionGuidField: text('options.sessionGuidField'),
		callEndField: text('options.callEndField'),
	};

	function readSchedule(): Settings['schedule'] {
		const unit = text('checkInterval');
		if (unit === 'cronExpression') return { cronExpression: text('cronExpression') };
		const count =
			unit === 'hours'
				? number('hoursBetweenChecks', 'Hours Between Checks', { preset: 1, least: 1, whole: true })
				: number('minutesBetweenChecks', 'Minutes Between Checks', {
						preset: 5,
						least: 1,
						whole: true,
					});
		return { intervalMs: count * (unit === 'hours' ? HOUR_MS : MINUTE_MS) };
	}
}
