import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	NodeApiError,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { type Operation, propertiesOf, type Resource } from '../fields/operation';
import { type ErrorFields, errorFields, nodeError } from '../nodeError';
import { testAccount } from '../service/accountTest';
import { shownFailureIn } from '../service/secretInError';
import * as call from './call';
import { getCallFields } from './call/callForm';
import * as callStart from './callStart';
import * as connection from './connection';
import { mapConcurrently } from './mapConcurrently';
import * as recording from './recording';
import { notedRecording } from './recording/notedRecording';
import { searchRecordings } from './recording/searchRecordings';
import * as sms from './sms';

/** With more downloads at the same time, they all take as long. */
const ITEMS_AT_ONCE = 4;

const resources: readonly Resource[] = [
	{
		name: 'Call',
		value: 'call',
		defaultOperation: 'make',
		operations: Object.values(call),
	},
	{
		name: 'Call Start',
		value: 'callStart',
		defaultOperation: 'respond',
		operations: Object.values(callStart),
	},
	{
		name: 'Connection',
		value: 'connection',
		defaultOperation: 'check',
		operations: Object.values(connection),
	},
	{
		name: 'Recording',
		value: 'recording',
		defaultOperation: 'download',
		operations: Object.values(recording),
	},
	{
		name: 'SMS',
		value: 'sms',
		defaultOperation: 'send',
		operations: Object.values(sms),
	},
];

/** What the canvas shows below the name of a node, by operation. */
const titles = resources.flatMap(({ name, operations }) =>
	operations.map(({ menuEntry }) => [menuEntry.value, `${name}: ${menuEntry.name}`]),
);

/** The operations that need an account of the service. */
const operationsOfAccount = resources
	.flatMap(({ operations }) => operations)
	.filter(({ usesAccount }) => usesAccount)
	.map(({ menuEntry }) => menuEntry.value);

export class VoiceAgent implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'VoiceAgent',
		name: 'voiceAgent',
		icon: {
			light: 'file:../../icons/voiceagent.svg',
			dark: 'file:../../icons/voiceagent.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: `={{ ${JSON.stringify(Object.fromEntries(titles))}[$parameter["operation"]] }}`,
		description:
			'Place calls, and list, download, decrypt and delete call recordings of the VoiceAgent service',
		defaults: { name: 'VoiceAgent' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		builderHint: {
			searchHint:
				"To archive calls: VoiceAgent Trigger (event Call End), Download, the upload to the archive, the same file read back, then Delete; Delete is permanent, so leave 'Require Proof of Archiving' on, with which it deletes only recordings that the files in its input prove to be archived. Make dials at each execution: never turn on Retry On Fail or loop back to it, and limit it with 'Allowed Destinations' and 'Max Calls per Execution'.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-voiceagent.voiceAgentTrigger',
					relationHint: 'Starts the workflow that archives a call, when the call ends',
				},
				{
					nodeType: 'n8n-nodes-voiceagent.voiceAgentRecordingTrigger',
					relationHint: 'Sweeps up recordings that are not archived yet, in a separate workflow',
				},
			],
		},
		usableAsTool: true,
		credentials: [
			{
				name: 'voiceAgentApi',
				required: true,
				testedBy: 'testAccount',
				displayOptions: { show: { operation: operationsOfAccount } },
			},
		],
		properties: [
			// Puts the credentials at the top, where n8n shows those without display conditions.
			{ displayName: 'Credentials', name: 'credentials', type: 'credentials', default: '' },
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: resources.map(({ name, value }) => ({ name, value })),
				default: 'recording',
			},
			...resources.flatMap(propertiesOf),
		],
	};

	methods = {
		credentialTest: { testAccount },
		listSearch: { searchRecordings },
		resourceMapping: { getCallFields },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const operation = selectedOperation(this);
		const runItem = operation.begin(this);
		/** The output of the items that have succeeded, by their indexes. */
		const succeeded: INodeExecutionData[][] = [];
		const atOnce = operation.oneAtATime ? 1 : ITEMS_AT_ONCE;
		const processAll = mapConcurrently(this.getInputData(), atOnce, async (_item, itemIndex) => {
			try {
				const items = await runItem(itemIndex);
				succeeded[itemIndex] = items;
				return items;
			} catch (error) {
				const recording = notedRecording(this, itemIndex);
				const shown = await shownFailureIn(this, error, itemIndex);
				const failure = nodeError(this.getNode(), shown, itemIndex, recording);
				if (!this.continueOnFail()) throw failure;
				return [failedItem(failure, errorFields(shown, recording), itemIndex)];
			}
		});
		try {
			return [(await processAll).flat()];
		} finally {
			await operation.afterItems(this, succeeded.flat());
		}
	}
}

function selectedOperation(context: IExecuteFunctions): Operation {
	const resourceValue = context.getNodeParameter('resource', 0);
	const value = context.getNodeParameter('operation', 0, '');
	const resource = resources.find((one) => one.value === resourceValue);
	const operation = resource?.operations.find(({ menuEntry }) => menuEntry.value === value);
	if (operation) return operation;
	throw new NodeOperationError(
		context.getNode(),
		`The operation '${String(value)}' of the resource '${String(resourceValue)}' is not known`,
		{ description: 'Choose a resource and an operation from the lists.' },
	);
}

/**
 * The item for Continue On Fail. n8n sends it to the error output because it has no other fields
 * than these two.
 */
function failedItem(
	{ message, description }: NodeApiError | NodeOperationError,
	fields: ErrorFields,
	itemIndex: number,
): INodeExecutionData {
	const details = { ...fields, description: description ?? null };
	return { json: { error: message, details }, pairedItem: { item: itemIndex } };
}
