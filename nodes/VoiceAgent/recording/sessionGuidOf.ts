import type { IExecuteFunctions } from 'n8n-workflow';

import type { VoiceAgentError } from '../../errors';
import { parseSessionGuid } from '../../service/sessionGuid';

/**
 * The session GUID in the parameter 'Recording'.
 * @throws VoiceAgentError `sessionGuidMissing`, with an expression for this workflow, or `invalidSessionGuid`
 */
export function sessionGuidOf(context: IExecuteFunctions, value: unknown): string {
	try {
		return parseSessionGuid(value);
	} catch (error) {
		throw withExpression(context, error as VoiceAgentError);
	}
}

function withExpression(context: IExecuteFunctions, error: VoiceAgentError): VoiceAgentError {
	const source = error.reason === 'sessionGuidMissing' && nodeWithSessionGuid(context);
	if (!source) return error;
	const name = source.replace(/['\\]/g, '\\$&');
	return error.withHint(`In this workflow: {{ $('${name}').item.json.sessionGuid }}`);
}

/** A node before this one that has a session GUID in its output. The part before the dot depends on the installation. */
function nodeWithSessionGuid(context: IExecuteFunctions): string | undefined {
	const before = context.getParentNodes(context.getNode().name);
	return before.find(({ type }) => /\.voiceAgent(?:Recording)?(?:Trigger)?$/.test(type))?.name;
}
