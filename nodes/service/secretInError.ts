import { finderOf, type Holds } from '../data/secretForms';
import { type CallStatus, VoiceAgentError } from '../errors';
import { type AccountContext, accountFields } from './account';
import { type AccountFields, secretsOf } from './apiCredential';

const NOT_SHOWN = 'What else is known is not shown, because a secret of the credential is in it.';

/**
 * A failure as it may be shown and stored. The texts of errors are checked where they are made of
 * an answer. This is for the parts that come into them in other ways, such as names of fields.
 */
export function shownFailure(error: unknown, fields: AccountFields): unknown {
	const holds = finderOf(secretsOf(fields));
	// Our own texts have words in them that may be passwords too.
	return textsOf(error).some((text) => holds(text, 'name')) ? withoutTexts(error, holds) : error;
}

/** The same for the account that is selected in a node. */
export async function shownFailureIn(
	context: AccountContext,
	error: unknown,
	itemIndex?: number,
): Promise<unknown> {
	const fields = await accountFields(context, itemIndex).catch(() => ({}));
	return shownFailure(error, fields);
}

function textsOf(error: unknown): string[] {
	const { message, description } = error as { message?: unknown; description?: unknown };
	return [message, description].filter((text) => typeof text === 'string');
}

function withoutTexts(error: unknown, holds: Holds): unknown {
	if (!(error instanceof VoiceAgentError)) return new Error(NOT_SHOWN);
	const { reason, httpStatus, retryAfterMs, keptUntil, retryable } = error;
	const detail = error.detail && !holds(error.detail, 'name') ? error.detail : undefined;
	const known = { detail, httpStatus, retryAfterMs, keptUntil, retryable };
	const { callStatus } = error as { callStatus?: CallStatus };
	const shown = new VoiceAgentError(reason, { ...known, hint: NOT_SHOWN });
	return callStatus ? Object.assign(shown, { callStatus }) : shown;
}
