import type { INodeProperties } from 'n8n-workflow';

const onAdapt = { show: { adapt: [true] } };
const onNextField = { show: { adapt: [true], paging: ['nextField'] } };
const onParameter = { show: { adapt: [true], paging: ['parameter'] } };

/** What the specification does not show, and what the nodes do not recognize by themselves. */
export const serviceFields: INodeProperties[] = [
	{
		displayName: 'Adapt to the Service',
		name: 'adapt',
		type: 'boolean',
		default: false,
		description:
			'Whether to name fields, pages and the API document of your service. Needed only for what Connection: Check does not recognize.',
	},
	{
		displayName: 'API Document Path',
		name: 'apiDocumentPath',
		type: 'string',
		default: '/swagger/v1/swagger.json',
		placeholder: 'e.g. /swagger/v1/swagger.json',
		description:
			"Path of the service's OpenAPI (Swagger) document, which describes the fields of a call. The Swagger UI shows a link to it. Clear this field if the service has no such document.",
		displayOptions: onAdapt,
	},
	{
		displayName: 'List Field',
		name: 'listField',
		type: 'string',
		default: '',
		placeholder: 'e.g. result.recordings',
		description:
			'Name of the field that holds the list of recordings, with dots for nested fields. By default, it is found if it is the only list or has a usual name.',
		displayOptions: onAdapt,
	},
	{
		displayName: 'Session GUID Field',
		name: 'sessionGuidField',
		type: 'string',
		default: '',
		placeholder: 'e.g. call.reference',
		description:
			'Name of the field of a listed recording that holds its session GUID, with dots for nested fields. By default, the field sessionGuid is found at any depth and in any spelling.',
		displayOptions: onAdapt,
	},
	{
		displayName: 'Call End Field',
		name: 'callEndField',
		type: 'string',
		default: '',
		placeholder: 'e.g. call.endedAt',
		description:
			'Name of the field of a listed recording that shows when its call ended, with dots for nested fields. By default, a field such as endedAt or end_time is found.',
		displayOptions: onAdapt,
	},
	{
		displayName: 'Called Number Field',
		name: 'calledNumberField',
		type: 'string',
		default: '',
		placeholder: 'e.g. call.callee',
		description:
			'Name of the field of a webhook or a listed recording that holds the number that was called, with dots for nested fields. By default, a field such as to, toNumber or called is found.',
		displayOptions: onAdapt,
	},
	{
		displayName: 'Caller Number Field',
		name: 'callerNumberField',
		type: 'string',
		default: '',
		placeholder: 'e.g. call.callerId',
		description:
			'Name of the field of a webhook or a listed recording that holds the number that called, with dots for nested fields. By default, a field such as from, fromNumber or caller is found.',
		displayOptions: onAdapt,
	},
	{
		displayName: 'Paging',
		name: 'paging',
		type: 'options',
		options: [
			{
				name: 'A Parameter in Each Request',
				value: 'parameter',
				description: 'The number of the page or of the first record',
			},
			{
				name: 'Automatic',
				value: 'automatic',
				description: 'As the answers say, in the usual ways',
			},
			{
				name: 'Next URL or Cursor in a Field',
				value: 'nextField',
				description: 'A field of each answer leads to the next page',
			},
			{
				name: 'The List Is Complete',
				value: 'complete',
				description: 'The service always sends all recordings in one answer',
			},
		],
		default: 'automatic',
		description: 'How the service sends a long list of recordings',
		displayOptions: onAdapt,
	},
	{
		displayName: 'Next Field',
		name: 'nextField',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. meta.nextCursor',
		description:
			'Name of the field with the URL of the next page or with a cursor, with dots for nested fields. If it is empty, the page is the last one.',
		displayOptions: onNextField,
	},
	{
		displayName: 'Cursor Parameter',
		name: 'cursorParameter',
		type: 'string',
		default: '',
		placeholder: 'e.g. cursor',
		description: 'Query parameter that takes the value of the field, if it is not a URL',
		displayOptions: onNextField,
	},
	{
		displayName: 'Page Parameter',
		name: 'pageParameter',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. page',
		description:
			'Query parameter that asks for a page. A page without new recordings is the last one.',
		displayOptions: onParameter,
	},
	{
		displayName: 'Parameter Counts',
		name: 'counts',
		type: 'options',
		options: [
			{ name: 'Pages', value: 'pages' },
			{ name: 'Records', value: 'records' },
		],
		default: 'pages',
		description:
			'What the parameter increases by: one for each page, or the number of records that were read',
		displayOptions: onParameter,
	},
	{
		displayName: 'First Value',
		name: 'firstValue',
		type: 'number',
		default: 1,
		description: 'Value of the parameter for the first page, usually 0 or 1',
		displayOptions: onParameter,
	},
	{
		displayName: 'More Query Parameters',
		name: 'queryParameters',
		type: 'string',
		default: '',
		placeholder: 'e.g. pageSize=500&tenant=42',
		description:
			"Sent with every request to the service. Those of an operation take precedence. Do not filter recordings here, but with 'Query Parameters' of Get Many.",
		displayOptions: onAdapt,
	},
];
