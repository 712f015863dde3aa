import { VoiceAgentError } from '../../../errors';

/**
 * Why something is no proof, as a part of the text of an error; `undefined` if nothing speaks
 * against it. The functions of this folder that are named `objectionTo…` return one.
 */
export type Objection = string | undefined;

/** The error about a recording that is not known to be archived. */
export function notArchived(objection: string): VoiceAgentError {
	return new VoiceAgentError('notArchived', { detail: objection });
}
