import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../errors';
import { canonicalSessionGuid, parseSessionGuid } from '../../service/sessionGuid';

/**
 * The session GUID in the parameter 'Recording'.
 * @throws VoiceAgentError `sessionGuidMissing`, with an expression for this workflow, or `invalidSessionGuid`
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
		const isMissing = error instanceof VoiceAgentError && error.reason === 'sessionGuidMissing';
		throw isMissing && name
			? error.withHint(`In this workflow: {{ $('${name}').item.json.sessionGuid }}`)
			: error;
	}
}

/** Data of the execution, by which the list of executions can be searched. n8n keeps ten values. */
function noteInExecution(context: IExecuteFunctions, guid: string): void {
	const { $execution } = context.getWorkflowDataProxy(0);
	const { customData } = $execution as { customData?: CustomData };
	const noted = Object.values(customData?.getAll() ?? {});
	if (noted.includes(guid)) return;
	customData?.set(noted.length === 0 ? 'sessionGuid' : `sessionGuid${noted.length + 1}`, guid);
}

interface CustomData {
	getAll(): Record<string, string>;
	set(key: string, value: string): void;
}
