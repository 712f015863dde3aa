import type {
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import type { Field } from '../fields/field';
import { testApi } from '../service/credentialTests';
import { keepChecking, waitingNow } from './checks';
import { properties, readSettings } from './settings';

export class VoiceAgentRecordingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'VoiceAgent Recording Trigger',
		name: 'voiceAgentRecordingTrigger',
		icon: {
			light: 'file:../../icons/voiceagent.svg',
			dark: 'file:../../icons/voiceagent.dark.svg',
		},
		group: ['trigger', 'schedule'],
		version: 1,
		subtitle: 'Recordings Waiting',
		description:
			'Starts the workflow for each recording that the VoiceAgent service still lists, until it is deleted',
		eventTriggerDescription: '',
		activationMessage:
			'n8n now looks for recordings in the interval you set, and runs this workflow once for each.',
		defaults: { name: 'VoiceAgent Recording Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'voiceAgentApi', required: true, testedBy: 'testApi' }],
		builderHint: {
			searchHint:
				'A sweep of recordings that no webhook has archived belongs to this trigger, which starts one execution for each and tries again what has failed. Do not build it from a Schedule Trigger and Get Many, which start a recording twice and forget it when it fails.',
			relatedNodes: [
				{ nodeType: 'n8n-nodes-voiceagent.voiceAgent', relationHint: 'Downloads, then deletes' },
			],
		},
		triggerPanel: {
			header: '',
			executionsHelp:
				"<b>While building your workflow</b>, click the 'execute step' button to fetch the recordings that are waiting now. They show up in this editor. <br /><br /><b>Once the workflow is published</b>, n8n looks for recordings in the interval you set, and runs the workflow once for each. These executions show up in the <a data-key='executions'>executions list</a>, but not in the editor.",
			activationHint:
				"Once you've finished building your workflow, publish it. Then n8n looks for recordings on schedule (you just won't see those executions here).",
		},
		properties: properties as readonly Field[] as INodeProperties[],
	};

	methods = { credentialTest: { testApi } };

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		const settings = readSettings(this);
		if (this.getMode() !== 'manual') return keepChecking(this, settings);
		return {
			manualTriggerFunction: async () => this.emit([await waitingNow(this, settings)]),
		};
	}
}
