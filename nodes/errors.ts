/** Everything that can go wrong: `message` says what happened, `description` what to do about it. */
export const errorTexts = {
	// Parameters and credentials
	invalidParameter: {
		message: 'A parameter cannot be used',
		description: 'Correct it in the node. If it is an expression, look at its result.',
	},
	invalidBaseUrl: {
		message: "The 'Base URL' of the VoiceAgent API credential cannot be used",
		description:
			'Enter the address of the service as https://host, without user name, password, query or fragment. Plain http:// is accepted only for localhost.',
	},
	invalidApiKey: {
		message: "The 'API Key' of the VoiceAgent API credential cannot be used",
		description:
			"Copy the key again from the service's web portal, on the account settings or API keys page. A key has no spaces or line breaks.",
	},
	noApiDocument: {
		message:
			"The 'API Document Path' of the VoiceAgent API credential does not lead to an API document",
		description:
			"Look in the service's Swagger UI for the link to its OpenAPI document, and enter its path. If the service has none, clear the field.",
	},
	callRefused: {
		message: 'The call was not placed',
		description:
			"Check the number, and the options 'Allowed Destinations', 'Destination Field' and 'Max Calls per Execution' of this node.",
	},
	callEndUnknown: {
		message: 'The recordings do not show when their calls ended',
		description:
			"Name the field that shows it under 'Call End Field' in the VoiceAgent API credential, or remove 'Expiring Within (Hours)'.",
	},
	invalidSessionGuid: {
		message: 'The session GUID cannot be used',
		description:
			'Use the sessionGuid of the CallEnd webhook or of Get Many: 8 to 64 letters, digits, hyphens or underscores, with at least one digit.',
	},
	sessionGuidMissing: {
		message: "'Recording' is empty",
		description:
			"The previous node did not pass on a session GUID. Enter an expression in 'Recording' that refers to the node that has it.",
	},
	passwordMissing: {
		message: 'The recording is encrypted, and no password is available',
		description:
			"Select a VoiceAgent Recording Password API credential in this node. The operation Download can also keep the file as it is, such as audio of an unknown kind: set 'Decrypt' to 'Never'.",
	},
	invalidPassword: {
		message: "The 'Password' of the VoiceAgent Recording Password API credential is empty",
		description: 'Enter the password that your answer to CallStart gives as recordCallPassword.',
	},

	// Recordings
	notEncrypted: {
		message: 'This is not an encrypted recording',
		description:
			'An encrypted recording (.enc) has at least 44 bytes and does not start like an audio file. Check that the right file is read, or whether the call was recorded without a password.',
	},
	wrongPasswordOrAltered: {
		message: 'The recording cannot be decrypted: wrong password, or the file was altered',
		description:
			"Correct the VoiceAgent Recording Password API credential: if the password was changed since the call, add the old one under 'Previous Passwords'. If the password is right, download the file again. It may also be audio of an unknown kind that is not encrypted: to keep it as it is, set 'Decrypt' of Download to 'Never'.",
	},
	notARecording: {
		message: 'The service answered with something that is not a recording',
		description:
			"An empty answer or a text page arrived instead of audio. Check the 'Base URL' and any proxy in between.",
	},
	cutShort: {
		message: 'The download stopped before the recording was complete',
		description: 'Try again. Nothing incomplete was output.',
	},
	recordingIncomplete: {
		message: 'The recording at the service is not complete',
		description:
			"The service may still be writing it: raise the option 'Wait Until Available (Seconds)', or try again later. If this happens with every recording, set the option 'If Recording Is Incomplete' to 'Output It'.",
	},
	recordingNotReady: {
		message: 'The recording is not ready yet',
		description:
			"Set or raise the option 'Wait Until Available (Seconds)', or try again later. Nothing was output.",
	},
	notArchived: {
		message: 'The recording was not deleted: it is not in the archive',
		description:
			'Check the node that stores it in the archive, and run the workflow again. Nothing was deleted.',
	},
	proofFailed: {
		message: 'The recording was not deleted: the archived file differs from the download',
		description:
			'Check the archived file, archive the recording again, and then delete it. The service still has it.',
	},
	fileExists: {
		message: 'A file with this name exists and has other content',
		description:
			'Move or rename that file, then decrypt the recording again. Nothing was overwritten.',
	},
	recordingGone: {
		message: 'The recording is gone: deleted, or purged 7 days after the call ended',
		description:
			"A call that was not recorded has none either. Check the session GUID, and whether your answer to CallStart sets recordCall. If the call has just ended, set the option 'Wait Until Available (Seconds)' of Download.",
	},

	stillListed: {
		message: 'The service answers that there is no such recording, but its list shows it',
		description: "Nothing was deleted. Check the 'Base URL' and any proxy in between.",
	},
	maybeGone: {
		message: 'It is not clear whether the recording is gone',
		description:
			'The service answers that there is no such recording, but its list cannot confirm it. Nothing was deleted or output: try again later.',
	},

	// Answers of the service
	unauthorized: {
		message: 'The service does not accept the API key (401)',
		description:
			"Copy the key again from the service's web portal, on the account settings or API keys page, into the VoiceAgent API credential.",
	},
	forbidden: {
		message: 'The API key lacks permission for this action (403)',
		description: "Contact the service's support to check the permissions of the account.",
	},
	notFound: {
		message: 'The service does not know this address (404)',
		description: "Check the 'Base URL' in the VoiceAgent API credential.",
	},
	declaredFailure: {
		message: 'The service answered that the request failed',
		description:
			'The status of the answer says success, but its content does not. Before you repeat a call or a message, find out whether it went out.',
	},
	answerTooSlow: {
		message: 'The answer of the service took too long',
		description:
			"Try again later. If a list takes more than 15 minutes, ask for a part of it with the option 'Query Parameters' of Get Many.",
	},
	notYetAvailable: {
		message: 'Sending SMS is not yet available from the service',
		description:
			'The service has announced this endpoint but does not offer it yet. Nothing was sent.',
	},
	rejected: {
		message: 'The service rejected the request',
		description: 'Check the values that were sent.',
	},
	rateLimited: {
		message: 'The service receives too many requests (429)',
		description: 'Wait and try again.',
	},
	serverError: {
		message: 'The service failed to process the request',
		description:
			'The service may be down: try again later. If this continues, contact its support.',
	},
	redirected: {
		message: 'The service redirected the request to another address',
		description:
			"Redirects are not followed, so that the API key reaches no other address. Enter the final address as 'Base URL'.",
	},
	redirectRefused: {
		message: 'The download was redirected, and the redirect cannot be followed',
		description:
			'A download follows up to five redirects, to https:// addresses only. Check any proxy in between, or contact the support of the service.',
	},
	storageFailed: {
		message: 'The download was redirected to an address that did not deliver the recording',
		description:
			'Try again: the service then gives a new link. If this continues, check that n8n can reach this address and trusts its certificate (NODE_EXTRA_CA_CERTS), or contact the support of the service.',
	},
	compressed: {
		message: 'The answer of the service is compressed in a way that n8n cannot read',
		description:
			'Turn this compression off at the service, at its storage or at a proxy in between. Nothing was output.',
	},
	webPage: {
		message: 'The service answered with a web page instead of data',
		description: "Check the 'Base URL' in the VoiceAgent API credential and any proxy in between.",
	},
	recordingsWithoutGuid: {
		message: 'The service lists recordings in which no session GUID is found',
		description:
			"Name the field that holds it under 'Session GUID Field' in the VoiceAgent API credential. The other recordings are not affected.",
	},
	noCallFields: {
		message: 'The API document of the service does not describe the fields of a call',
		description:
			"Check the 'API Document Path' in the VoiceAgent API credential, or enter the call details with 'Using Fields Below' or 'Using JSON'.",
	},
	callFormTooLarge: {
		message: 'The API document of the service describes a call with too many details for a form',
		description: "Enter the call details with 'Using Fields Below' or 'Using JSON'.",
	},
	unreadableList: {
		message: 'The service answered with a list of recordings in an unknown shape',
		description:
			"Check the 'Base URL' in the VoiceAgent API credential, and name the field that holds the recordings under 'List Field' in that credential.",
	},

	incompleteList: {
		message: 'The list of recordings is incomplete',
		description:
			"Set 'Paging' in the VoiceAgent API credential as the service's Swagger UI describes it. To use what was read, set the option 'If List Is Incomplete' of Get Many. The Recording Trigger does so by itself.",
	},
	unclearList: {
		message: 'It is not clear whether the list of recordings is complete',
		description:
			"Set 'Paging' in the VoiceAgent API credential: to 'The List Is Complete', or to the way in which the service sends further pages.",
	},

	// The connection
	connectionRefused: {
		message: 'The service cannot be reached: connection refused',
		description:
			"The service may be down: try again later. Otherwise check that the 'Base URL' starts with https://, that its host and port are right, and that outbound HTTPS traffic is allowed.",
	},
	hostNotFound: {
		message: 'The service cannot be reached: host not found',
		description: "Check the host in the 'Base URL' of the VoiceAgent API credential.",
	},
	timedOut: {
		message: 'The service cannot be reached: time-out',
		description:
			"The service may be down: try again later. Otherwise check that the 'Base URL' starts with https:// and that its host is right, and that outbound HTTPS traffic is allowed.",
	},
	callMayHaveBeenPlaced: {
		message: 'No clear answer arrived, so the call may have been placed',
		description:
			'Find out whether the call took place before you place it again. Calls are never repeated automatically.',
	},
	messageMayHaveBeenSent: {
		message: 'No clear answer arrived, so the message may have been sent',
		description:
			'Find out whether the message arrived before you send it again. Messages are never repeated automatically.',
	},
	passwordUnprotected: {
		message: "With 'Authentication' set to None, anybody could get the recording password",
		description:
			"Set 'Authentication', or add the option 'Allowed IP Addresses', in each trigger that waits for this answer. Or turn off 'Encrypt Recording'.",
	},
	toolCallsMixedUp: {
		message: 'n8n has mixed up this tool call with another one, so nothing was sent',
		description:
			"In the AI Agent, set 'Batch Size' to 1, or use version 3 of the node. Then each tool call gets its own values.",
	},
	insecure: {
		message: 'No secure connection to the service can be made',
		description:
			"Check the host and port in the 'Base URL', and the certificate of the service. If your organization issues its own certificates, set NODE_EXTRA_CA_CERTS to the PEM file of its authority and restart n8n.",
	},
	connectionLost: {
		message: 'The connection to the service was lost',
		description: 'Try again. Nothing incomplete was output.',
	},
	truncated: {
		message: 'Only a part of the recording arrived',
		description:
			'The answer was a part of the file (206), although the whole was asked for. Check any proxy in between.',
	},
	tooLarge: {
		message: 'The answer of the service is too large',
		description:
			"Check the 'Base URL' in the VoiceAgent API credential. For a recording that is really that large, raise the option 'Max Size (MB)'.",
	},
	answerTooLarge: {
		message: 'The answer of the service is too large',
		description:
			"An answer may have 16 MB. For a list, ask for smaller pages: enter the parameter for it, which the service's Swagger UI shows, under 'More Query Parameters' in the VoiceAgent API credential.",
	},
	tooLargeForDatabase: {
		message:
			'n8n keeps files in its database, where a recording of more than 256 MB cannot be used',
		description:
			'Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem for all processes of n8n, with a folder that they share as N8N_STORAGE_PATH, and restart them. Nothing was output.',
	},
	deadlineExceeded: {
		message: 'The download took too long',
		description:
			'It may take an hour, all attempts included. Try again. Nothing incomplete was output.',
	},
	canceled: {
		message: 'The execution was canceled',
		description: 'Nothing incomplete was output.',
	},

	// Webhooks and the answer to CallStart
	invalidWebhookSecret: {
		message: 'The VoiceAgent Webhook API credential cannot be used',
		description:
			'Correct the field named above, or select another VoiceAgent Webhook API credential in the trigger.',
	},
	invalidAllowedAddresses: {
		message: "'Allowed IP Addresses' cannot be used",
		description:
			'Enter IP addresses or IPv4 ranges, separated by commas, such as 203.0.113.7, 198.51.100.0/24, 2001:db8::1, or remove the option. Until then, every request is refused.',
	},
	encryptionPasswordMissing: {
		message: "'Encrypt Recording' is on, and no password is available",
		description:
			"Select a VoiceAgent Recording Password API credential with a password in this node, or turn 'Encrypt Recording' off. Until then, calls are not recorded.",
	},
	passwordInOutput: {
		message: "'Only Output' cannot output the instructions for an encrypted recording",
		description:
			"They would contain the password. Turn 'Only Output' off, or turn on 'Encrypt Recording' in the VoiceAgent Trigger instead of here: it adds the password to the answer.",
	},
	nobodyWaitsForResponse: {
		message: 'No VoiceAgent Trigger waits for this response',
		description:
			"Begin the workflow with a VoiceAgent Trigger on Call Start, and set its 'Respond' to 'Using Respond to Call Start'. To use the instructions in another way, turn 'Only Output' on.",
	},
} as const satisfies Record<string, { message: string; description: string }>;

export type Reason = keyof typeof errorTexts;

export interface ErrorDetails {
	/** Added to the message of the table, after a colon; for `invalidParameter` in place of it. Never holds a secret. */
	detail?: string;
	/** Added to the description of the table. */
	hint?: string;
	/** Status of the HTTP answer, if one arrived. */
	httpStatus?: number;
	/** Waiting time that the service asked for, in milliseconds. */
	retryAfterMs?: number;
	/** Whether the same request may succeed later; only GET and DELETE are ever repeated. */
	retryable?: boolean;
	/** Length in bytes at which a file seemed to end early. */
	endedAtByte?: number;
}

/** The one error of this package: a reason from the table above, so that each text is written once. */
export class VoiceAgentError extends Error {
	readonly reason: Reason;

	description: string;

	readonly detail: string | undefined;

	readonly httpStatus: number | undefined;

	readonly retryAfterMs: number | undefined;

	readonly retryable: boolean;

	readonly endedAtByte: number | undefined;

	constructor(reason: Reason, details: ErrorDetails = {}) {
		const { message, description } = errorTexts[reason];
		super(headline(reason, message, details.detail));
		this.name = 'VoiceAgentError';
		this.reason = reason;
		this.description = details.hint ? `${description} ${details.hint}` : description;
		this.detail = details.detail;
		this.httpStatus = details.httpStatus;
		this.retryAfterMs = details.retryAfterMs;
		this.retryable = details.retryable ?? false;
		this.endedAtByte = details.endedAtByte;
	}

	/** The same error, with one more sentence in its description. */
	withHint(hint: string): this {
		this.description += ` ${hint}`;
		return this;
	}

	/** Message and description, for places that show a single text. */
	get fullText(): string {
		return `${this.message}. ${this.description}`;
	}
}

/** The detail about a parameter names it, so nothing stands before it. */
function headline(reason: Reason, message: string, detail?: string): string {
	if (!detail) return message;
	if (reason !== 'invalidParameter') return `${message}: ${detail}`;
	return detail.charAt(0).toUpperCase() + detail.slice(1);
}

/**
 * The error for a parameter that cannot be used.
 * @param detail names the parameter
 */
export function invalid(detail: string): VoiceAgentError {
	return new VoiceAgentError('invalidParameter', { detail });
}
