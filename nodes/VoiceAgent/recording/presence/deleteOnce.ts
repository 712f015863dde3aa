import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../../errors';
import { mayHaveBeenCarriedOut } from '../../../service/http/httpErrors';
import { request } from '../../../service/http/request';
import { goneReasons, recordingPath } from '../../../service/recordingPath';
import { isGone, judgedByList, mayMeanGone } from './availability';
import { forgetLists } from './listing';

/**
 * Deletes a recording. If the answer does not say that it is deleted, the list of the service decides.
 * @throws VoiceAgentError whatever shows that the recording may still be there
 */
export async function deleteOnce(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<IDataObject> {
	const path = recordingPath(sessionGuid);
	const onFailure = (error: unknown) => {
		// It may have been carried out although it failed, so an earlier list says nothing.
		if (!isGone(error)) forgetLists(context);
	};
	try {
		await request(context, 'DELETE', path, { itemIndex, statusReasons: goneReasons, onFailure });
	} catch (failure) {
		const mayBeGone = mayMeanGone(failure) || mayHaveBeenDeleted(failure);
		const error = mayBeGone
			? await judgedByList(context, itemIndex, sessionGuid, failure, 'stillListed')
			: failure;
		if (!isGone(error)) throw error;
		return { sessionGuid, deleted: true, alreadyGone: true };
	}
	forgetLists(context);
	return { sessionGuid, deleted: true };
}

/** A redirected request was not carried out: the Base URL is wrong. */
function mayHaveBeenDeleted(error: unknown): error is VoiceAgentError {
	if (!(error instanceof VoiceAgentError) || error.reason === 'redirected') return false;
	return mayHaveBeenCarriedOut(error);
}
