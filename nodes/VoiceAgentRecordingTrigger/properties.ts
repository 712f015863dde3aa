import type { INodeProperties } from 'n8n-workflow';

import { callEndField, sessionGuidField } from '../fields/namedFields';

export const properties: INodeProperties[] = [
	{
		displayName:
			"Each recording that is listed starts one run, the oldest first. Let the workflow end with Recording > Delete, or set 'Start Runs Until': a recording that is still listed later starts another run.",
		name: 'howItWorks',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Check Interval',
		name: 'checkInterval',
		type: 'options',
		noDataExpression: true,
		// From short to long, as in n8n's Schedule Trigger.
		options: [
			{ name: 'Minutes', value: 'minutes' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Custom (Cron)', value: 'cronExpression' },
		],
		default: 'minutes',
		description:
			'How often to look for recordings; also once when the workflow is published or n8n starts',
	},
	{
		displayName: 'Minutes Between Checks',
		name: 'minutesBetweenChecks',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 5,
		displayOptions: { show: { checkInterval: ['minutes'] } },
	},
	{
		displayName: 'Hours Between Checks',
		name: 'hoursBetweenChecks',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1,
		displayOptions: { show: { checkInterval: ['hours'] } },
	},
	{
		displayName: 'Expression',
		name: 'cronExpression',
		type: 'string',
		default: '',
		placeholder: 'e.g. 0 15 * 1 sun',
		hint: 'Format: ([Second]) [Minute] [Hour] [Day of Month] [Month] [Day of Week]',
		description:
			'You can find help generating your cron expression <a href="https://crontab.guru/examples.html">here</a>',
		displayOptions: { show: { checkInterval: ['cronExpression'] } },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		placeholder: 'Add option',
		options: [
			{
				displayName: 'Alarm From Day',
				name: 'alarmFromDay',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 5,
				description:
					"From how many days after the call on the output has 'alarm' set to true. The service purges a recording 7 days after the call. By default 5.",
			},
			callEndField,
			{
				displayName: 'Minimum Age (Minutes)',
				name: 'minimumAge',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 15,
				description:
					'Leave a recording alone for this long after its call, so that a workflow behind the CallEnd webhook gets the first chance. By default 15. If the record does not show when the call ended, this counts from when this node first saw it, by default 60: the call may still be going on.',
			},
			{
				displayName: 'Most per Check',
				name: 'mostPerCheck',
				type: 'number',
				typeOptions: { minValue: 1, numberPrecision: 0 },
				default: 25,
				description:
					'How many runs one check starts at most. The other recordings wait for the next check. By default 25.',
			},
			sessionGuidField,
			{
				displayName: 'Start Runs Until',
				name: 'startRunsUntil',
				type: 'options',
				options: [
					{ name: 'A Run Succeeds', value: 'success' },
					{ name: 'The Recording Is Deleted', value: 'deleted' },
				],
				default: 'success',
				description:
					'Until when a recording that is still listed starts further runs. By default until it is deleted. Choose until a run succeeds if the workflow keeps recordings at the service.',
			},
			{
				displayName: 'Try Again After (Hours)',
				name: 'tryAgainAfter',
				type: 'number',
				// Much less than this would start an execution while the last one is still beginning.
				typeOptions: { minValue: 0.01 },
				default: 6,
				description:
					'Start another run for a recording that is still listed so long after its last run began. Longer than any run takes. By default 6.',
			},
		],
	},
];
