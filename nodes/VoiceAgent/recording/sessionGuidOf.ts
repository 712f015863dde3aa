import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../errors';
import { canonicalSessionGuid, parseSessionGuid } from '../../service/sessionGuid';

/**
 * The session GUID in the parameter 'Recording'.
 * @throws VoiceAgentError `invalidParameter`, with an expression for this workflow, or `invalidSessionGuid`
 */
export function sessionGuidOf(context: IExecuteFunctions, value: unknown): string {
	try {
		const guid = parseSessionGuid(value);
		noteInExecution(context, canonicalSessionGuid(guid));
		return guid;
	} catch (error) {
		// The part before the dot depends on the installation.
		const source = context
			.getParentNodes(context.getNode().name)
			.find(({ type }) => /\.voiceAgent(?:Recording)?(?:Trigger)?$/.test(type));
		const name = source?.name.replace(/['\\]/g, '\\$&');
		const isMissing = error instanceof VoiceAgentError && error.reason === 'invalidParameter';
		throw isMissing && name
			? error.withHint(`In this workflow: {{ $('${name}').item.json.sessionGuid }}`)
			: error;
	}
}

/** Names the recording in the list of executions, which can be searched by this, and to an error workflow. */
function noteInExecution(context: IExecuteFunctions, sessionGuid: string): void {
	const { $execution } = context.getWorkflowDataProxy(0);
	const { customData } = $execution as { customData?: { setAll(values: object): void } };
	customData?.setAll({ sessionGuid });
	Object.assign(context.getExecutionContext() ?? {}, { sessionGuid });
}
