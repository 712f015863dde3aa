import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../errors';
import { parseSessionGuid } from '../../service/sessionGuid';

/**
 * The session GUID in the parameter 'Recording'.
 * @throws VoiceAgentError `sessionGuidMissing`, with an expression for this workflow, or `invalidSessionGuid`
 */
export function sessionGuidOf(context: IExecuteFunctions, value: unknown): string {
	try {
		return parseSessionGuid(value);
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
