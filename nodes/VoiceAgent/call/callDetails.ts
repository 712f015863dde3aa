import type { Field } from '../../fields/field';
import { jsonBody, namedFields, NUMBER_FIELD } from '../requestBody';

/**
 * The number, if the node is a tool of an AI agent. The model fills it in: n8n's editor shows an
 * expression that begins with this comment as "Defined automatically by the model".
 */
const NUMBER_FROM_MODEL =
	"/*n8n-auto-generated-fromAI-override*/ $fromAI('To', `Number to call, with country code: + and all digits`, 'string')";

const toField = {
	displayName: 'To',
	name: 'to',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. +15550100',
	description: 'Number to call: + and all digits, with the country code',
} as const satisfies Field;

/**
 * How the details of a call are entered: in one of four ways. Most ways have their field twice. It
 * is empty in a node of a workflow, and in a tool, the model fills in the number.
 */
export const detailsFields = [
	{
		displayName:
			"As a tool, this node places no call without the options 'Allowed Destinations' and 'Max Calls per Execution'.",
		name: 'toolNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { '@tool': [true] } },
	},
	{ ...toField, displayOptions: { show: { specifyBody: ['number'] }, hide: { '@tool': [true] } } },
	{
		...toField,
		default: `={{ ${NUMBER_FROM_MODEL} }}`,
		displayOptions: { show: { specifyBody: ['number'], '@tool': [true] } },
	},
	{
		displayName: 'Specify Call Details',
		name: 'specifyBody',
		type: 'options',
		noDataExpression: true,
		default: 'number',
		options: [
			{
				name: 'Using Fields Below',
				value: 'number',
				description: 'Enter the number, and other fields if the service needs them',
			},
			{
				name: 'Using Fields of the Service',
				value: 'service',
				description: "Fill in a form with the fields of the service's Swagger document",
			},
			{ name: 'Using JSON', value: 'json', description: 'Enter the request as JSON' },
			{
				name: 'Using Named Fields',
				value: 'fields',
				description: 'Enter names and values of all fields, also of the number',
			},
		],
		description: 'How to enter the call details',
	},
	{
		...namedFields,
		displayName: 'More Fields',
		name: 'moreFields',
		default: {},
		description:
			'What the service needs besides the number. Its Swagger UI lists the names and meanings. Values are sent as text. For a number, true or false, use an expression.',
		displayOptions: { show: { specifyBody: ['number'] } },
	},
	{
		displayName: 'Call Details',
		name: 'serviceFields',
		type: 'resourceMapper',
		noDataExpression: true,
		default: { mappingMode: 'defineBelow', value: null },
		required: true,
		typeOptions: {
			resourceMapper: {
				resourceMapperMethod: 'getCallFields',
				mode: 'add',
				fieldWords: { singular: 'field', plural: 'fields' },
				addAllFields: true,
				supportAutoMap: false,
			},
		},
		displayOptions: { show: { specifyBody: ['service'] } },
	},
	{
		...namedFields,
		displayOptions: { show: { specifyBody: ['fields'] }, hide: { '@tool': [true] } },
	},
	{
		...namedFields,
		default: { field: [{ name: NUMBER_FIELD, value: `={{ ${NUMBER_FROM_MODEL} }}` }] },
		displayOptions: { show: { specifyBody: ['fields'], '@tool': [true] } },
	},
	{ ...jsonBody, displayOptions: { show: { specifyBody: ['json'] }, hide: { '@tool': [true] } } },
	{
		...jsonBody,
		default: `={{ { to: ${NUMBER_FROM_MODEL} } }}`,
		displayOptions: { show: { specifyBody: ['json'], '@tool': [true] } },
	},
] as const satisfies readonly Field[];
