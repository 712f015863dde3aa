import { errorTexts } from './errorTexts';

export type Reason = keyof typeof errorTexts;

/** A recording, as errors and executions name it. */
export interface NamedRecording {
	/** As the service spells it. */
	sessionGuid: string;
	/** The same for all spellings of a session GUID. */
	recordingKey: string;
	/** Until when the service keeps it, in ISO 8601; `null` if that is not known. */
	keptUntil: string | null;
}

/** Whether a call that failed may be placed later, is refused for good, or may have been placed. */
export type CallStatus = 'waiting' | 'refused' | 'unclear';

export interface ErrorDetails {
	/**
	 * Added to the message of the reason, after a colon; for `invalidParameter` in place of it. It
	 * never holds a secret.
	 */
	detail?: string;
	/** Added to the description of the reason. */
	hint?: string;
	/** Status of the HTTP answer, if one arrived. */
	httpStatus?: number;
	/** Waiting time that the service asked for, in milliseconds. */
	retryAfterMs?: number;
	/** Until when the service keeps the recording that it is about: in ISO 8601 or in words. */
	keptUntil?: string;
	/** Whether the same request may succeed later; only GET and DELETE are ever repeated. */
	retryable?: boolean;
}

/**
 * The one error of this package. Its texts are those of its reason in {@link errorTexts}, so that
 * each text is written once.
 */
export class VoiceAgentError extends Error implements ErrorDetails {
	readonly reason: Reason;
	description: string;
	readonly detail?: string;
	readonly hint?: string;
	readonly httpStatus?: number;
	readonly retryAfterMs?: number;
	readonly keptUntil?: string;
	readonly retryable?: boolean;

	constructor(reason: Reason, details: ErrorDetails = {}) {
		const [message, description] = errorTexts[reason];
		super(headline(reason, message, details.detail));
		this.reason = reason;
		this.description = details.hint ? sentences(description, details.hint) : description;
		Object.assign(this, details);
	}

	/** The same error, with one more sentence in its description. */
	withHint(hint: string): this {
		this.description = sentences(this.description, hint);
		return this;
	}

	/** Message and description, for places that show a single text. */
	get fullText(): string {
		return `${this.message}. ${this.description}`;
	}
}

/** One after the other. The last words may be those of the service, without a period. */
function sentences(first: string, second: string): string {
	return /[.!?…]["')]?$/.test(first) ? `${first} ${second}` : `${first}. ${second}`;
}

/** The detail about a parameter names it, so nothing stands before it. */
function headline(reason: Reason, message: string, detail?: string): string {
	if (!detail) return message;
	if (reason !== 'invalidParameter') return `${message}: ${detail}`;
	return detail.charAt(0).toUpperCase() + detail.slice(1);
}

/** The error for a parameter that cannot be used. */
export function invalid(detail: string): VoiceAgentError {
	return new VoiceAgentError('invalidParameter', { detail });
}
