import type {
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { mapConcurrently } from './mapConcurrently';
import { call } from './call';
import { getCallFields } from './call/callFields';
import { callStart } from './callStart';
import { checkedValue } from '../fields/checkedValue';
import { itemsAtOnce } from './recording/recordingFields';
import { testApi, testRecordingPassword } from '../service/credentialTests';
import { searchRecordings } from './recording/searchRecordings';
import type { Operation } from '../fields/operation';
import { propertiesOf } from '../fields/operation';
import { recording } from './recording';
import { sms } from './sms';

const resources = [call, callStart, recording, sms];

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
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Place calls, and download, decrypt and delete call recordings of the VoiceAgent service',
		defaults: { name: 'VoiceAgent' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [
			{
				name: 'voiceAgentApi',
				required: true,
				testedBy: 'testApi',
				displayOptions: { hide: { operation: ['decrypt', 'respond'] } },
			},
			{
				// One entry for all operations: n8n looks at the first entry of a name only. Download works without.
				name: 'voiceAgentRecordingPasswordApi',
				required: false,
				testedBy: 'testRecordingPassword',
				displayOptions: {
					show: {
						resource: ['recording', 'callStart'],
						operation: ['download', 'decrypt', 'respond'],
					},
					hide: { decrypt: ['never'], encryptRecording: [false] },
				},
			},
		],
		properties: [
			// Where n8n shows the credentials: at the top, as it does without display conditions.
			{ displayName: 'Credentials', name: 'credentials', type: 'credentials', default: '' },
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: resources.map(({ name, value, description }) => ({ name, value, description })),
				default: 'recording',
			},
			...resources.flatMap(propertiesOf),
		],
	};

	methods = {
		credentialTest: { testApi, testRecordingPassword },
		listSearch: { searchRecordings },
		resourceMapping: { getCallFields },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const operation = selectedOperation(this);
		const results = await mapConcurrently(
			this.getInputData(),
			operation.oneAtATime ? 1 : itemLimit(this),
			async (_item, itemIndex) => {
				try {
					return await operation.run(this, itemIndex);
				} catch (error) {
					const failure = nodeError(this.getNode(), error, itemIndex);
					if (!this.continueOnFail()) throw failure;
					return [failedItem(failure, error, itemIndex)];
				}
			},
		);
		return [results.flat()];
	}
}

function selectedOperation(context: IExecuteFunctions): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const value = context.getNodeParameter('operation', 0);
	const operation = resources
		.find((one) => one.value === resource)
		?.operations.find(({ menuEntry }) => menuEntry.value === value);
	if (operation) return operation;
	throw new NodeOperationError(
		context.getNode(),
		`The operation '${String(value)}' of the resource '${String(resource)}' is not known`,
		{ description: 'Choose a resource and an operation from the lists.' },
	);
}

function itemLimit(context: IExecuteFunctions): number {
	try {
		const { default: preset } = itemsAtOnce;
		const wanted = context.getNodeParameter('options.itemsAtOnce', 0, preset);
		return checkedValue(itemsAtOnce, wanted) as number;
	} catch {
		// Each item tells what is wrong.
		return 1;
	}
}

/** The error as n8n shows it, with the item that it belongs to. */
function nodeError(node: INode, error: unknown, itemIndex: number) {
	if (!(error instanceof VoiceAgentError)) {
		return new NodeOperationError(node, error as Error, { itemIndex });
	}
	const { message, description, httpStatus } = error;
	return httpStatus === undefined
		? new NodeOperationError(node, message, { description, itemIndex })
		: new NodeApiError(node, { message } as JsonObject, {
				message,
				description,
				httpCode: String(httpStatus),
				itemIndex,
			});
}

/** The item for Continue On Fail. With these two fields only, n8n also recognises it for the error output. */
function failedItem(
	failure: NodeApiError | NodeOperationError,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	return {
		json: {
			error: failure.message,
			details: {
				reason: error instanceof VoiceAgentError ? error.reason : 'unexpected',
				description: failure.description ?? null,
			},
		},
		pairedItem: { item: itemIndex },
	};
}
