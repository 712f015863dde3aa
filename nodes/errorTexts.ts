/**
 * Everything that can go wrong: the message says what happened, the description what to do about
 * it.
 */
export const errorTexts = {
	// Parameters, credentials and the answer to CallStart
	invalidParameter: [
		'A parameter cannot be used',
		'Correct it in the node or in its credential. If it is an expression, look at its result.',
	],
	invalidBaseUrl: [
		"The 'Base URL' of the VoiceAgent API credential cannot be used",
		'Enter the address of the service as https://host, without user name, password, query or fragment. Plain http:// is accepted only for localhost.',
	],
	invalidApiKey: [
		"The 'API Key' of the VoiceAgent API credential cannot be used",
		"Copy the key again from the service's web portal, on the account settings or API keys page. A key has no spaces or line breaks.",
	],
	callRefused: [
		'The call was not placed',
		'The options of this node refuse it: check them, the number, and whether the call was placed before. To call again, start a new execution.',
	],
	placedBefore: [
		'The call was not placed a second time',
		"It has been placed, or may have been. To call again on purpose, enter another key as 'Place Once per Key'.",
	],
	outsideCallingHours: [
		"No call is placed outside 'Calling Hours'",
		"Place it later, or change 'Calling Hours' or 'Time Zone'.",
	],
	doNotCallUnusable: [
		"No call was placed: 'Do Not Call' cannot be used",
		"Each entry must be one number as + and digits, such as +15550100, with as many digits as its country has, and without an extension. Correct or remove what the message names, or enter 'none' if nobody is on the list.",
	],
	passwordMissing: [
		'The recording is encrypted, and no password is available',
		"Enter it as 'Recording Password' in the VoiceAgent API credential of this node. The operation Download can also keep the file as the service has it: set 'Decrypt' to 'Keep Encrypted'.",
	],
	encryptionPasswordMissing: [
		"'Encrypt Recording' is on, and no password is available",
		"Enter a 'Recording Password' in the VoiceAgent API credential of this node, or turn 'Encrypt Recording' off. Until then, calls are not recorded.",
	],
	passwordUnprotected: [
		'The trigger does not authenticate requests, so anyone could get the recording password',
		"Begin with a VoiceAgent Trigger whose credential has the password, and with 'Authentication' or 'Allowed IP Addresses' (ranges from /8), or turn off 'Encrypt Recording'.",
	],
	nobodyWaitsForResponse: [
		'No VoiceAgent Trigger waits for this response',
		"Begin the workflow with a VoiceAgent Trigger on Call Start, and set its 'Respond' to 'Using Respond to Call Start'.",
	],

	// Recordings
	notEncrypted: [
		'This is not an encrypted recording',
		'An encrypted recording (.enc) has at least 44 bytes and does not start like an audio file. Check that the right file is read, or whether the call was recorded without a password.',
	],
	wrongPasswordOrAltered: [
		'The recording cannot be decrypted: wrong password, or the file was altered',
		"Correct 'Recording Password' in the VoiceAgent API credential: if it was changed since the call, enter the old one as 'Previous Password'. If it is right, download the file again; to keep an unknown file as it is, set 'Decrypt' of Download to 'Keep Encrypted'.",
	],
	notARecording: [
		'The service answered with something that is not a recording',
		"An empty answer or a text page arrived instead of audio. Check the 'Base URL' and any proxy in between.",
	],
	recordingIncomplete: [
		'The recording is not complete',
		"The service may still be writing it: raise the option 'Wait Until Available (Seconds)', or try again later. If this happens with every recording, check any proxy in between.",
	],
	recordingNotReady: [
		'The recording is not ready yet',
		"The service may still be making it: retry this execution later, or raise the option 'Wait Until Available (Seconds)' of Download. The next delivery of the webhook archives it too, and so does a VoiceAgent Recording Trigger, such as in sweep-before-purge.",
	],
	notArchived: [
		'The recording was not deleted: no proof that it is in the archive',
		'Before this node, add Download, the upload, and a node that reads the file back or reports its checksum. An archive folder must outlive n8n, such as a volume in Docker; then execute the workflow again.',
	],
	proofOutdated: [
		'The recording was not deleted: the proof is from an earlier execution',
		'A Retry or a single step does not ask the archive again, and with saved progress, n8n cannot tell. Execute the whole workflow again, or let a sweep (VoiceAgent Recording Trigger) do it.',
	],
	notVerified: [
		'The recording was not deleted: it is not known whether the archived file is a recording',
		"Enter the recording password in the credential of Download, so that it can check the file. If you keep the password out of n8n, turn on the option 'Delete Unverified' of this node.",
	],
	proofFailed: [
		'The recording was not deleted: the archived file differs from the download',
		'Check the archived file, archive the recording again, and then delete it. The service still has it.',
	],
	recordingGone: [
		'The recording is gone: deleted, or purged 7 days after the call ended',
		"A call that was not recorded has none either: check the session GUID, and whether your answer to CallStart sets recordCall. If the call has just ended, set the option 'Wait Until Available (Seconds)' of Download.",
	],
	recordingLost: [
		'The recording is lost: it is gone from the service, and nothing shows that it was archived',
		'The earlier failed executions for this recording say why it was not archived. If your archive has it, add Delete or Check Archive behind the upload, which note that.',
	],
	stillListed: [
		'The service answers that there is no such recording, but its list shows it',
		"Nothing was deleted. Check the 'Base URL' and any proxy in between.",
	],
	maybeGone: [
		'It is not clear whether the recording is gone',
		'The service answers that there is no such recording, but its list cannot confirm it. Try again later: if Delete fails so, the recording may be deleted already.',
	],

	// The service, its answers and the connection
	unauthorized: [
		'The service does not accept the API key (401)',
		"Copy the key again from the service's web portal, on the account settings or API keys page, into the VoiceAgent API credential.",
	],
	forbidden: [
		'The API key lacks permission for this action (403)',
		"Contact the service's support to check the permissions of the account. If the answer is a web page, a proxy in between may have refused the request.",
	],
	notFound: [
		'The service does not know this address (404)',
		"Check the 'Base URL' in the VoiceAgent API credential.",
	],
	declaredFailure: [
		'The service answered that the request failed',
		'The status of the answer says success, but its content does not. Before you repeat a call or a message, find out whether it went out.',
	],
	notYetAvailable: [
		'Sending SMS is not yet available from the service',
		'The service has announced it, but does not offer it yet. Nothing was sent.',
	],
	rejected: [
		'The service rejected the request',
		"Compare the values that were sent with the service's Swagger UI.",
	],
	rateLimited: ['The service receives too many requests (429)', 'Wait and try again.'],
	serverError: [
		'The service failed to process the request',
		'The service may be down: try again later, or contact its support.',
	],
	redirected: [
		'The service redirected the request to another address',
		"Redirects are not followed, so that the API key reaches no other address. Enter the final address as 'Base URL'.",
	],
	redirectRefused: [
		'The download was redirected, and the redirect cannot be followed',
		'A download follows up to five redirects, to https:// addresses only. Check any proxy in between, or contact the support of the service.',
	],
	storageFailed: [
		'The download was redirected to an address that did not deliver the recording',
		'Try again: the service then gives a new link. If this continues, check that n8n can reach this address and trusts its certificate (NODE_EXTRA_CA_CERTS), or contact the support of the service.',
	],
	compressed: [
		'The answer of the service is compressed in a way that n8n cannot read',
		'Turn this compression off at the service, at its storage or at a proxy in between. Nothing was output.',
	],
	webPage: [
		'The service answered with a web page instead of data',
		"Check the 'Base URL' in the VoiceAgent API credential and any proxy in between.",
	],
	recordingsWithoutGuid: [
		'The service lists recordings in which no session GUID is found',
		"Name the field that holds it under 'Session GUID Field' in the VoiceAgent API credential. The other recordings are not affected.",
	],
	noCallFields: [
		'No form for a call can be made from the API document of the service',
		"Look in the service's Swagger UI for its OpenAPI document, and enter that path as 'API Document Path' in the VoiceAgent API credential. Or enter the call details with 'Using Fields Below' or 'Using JSON'.",
	],
	unreadableList: [
		'The service answered with a list of recordings in an unknown shape',
		"Check the 'Base URL' in the VoiceAgent API credential, and name the field that holds the recordings under 'List Field' in that credential.",
	],
	incompleteList: [
		'The list of recordings is incomplete',
		"Set 'Paging' in the VoiceAgent API credential as the service's Swagger UI describes it, or to 'The List Is Complete' to use what was read.",
	],
	unclearList: [
		'It is not clear whether the list of recordings is complete',
		"Set 'Paging' in the VoiceAgent API credential: to 'The List Is Complete', or to the way in which the service sends further pages.",
	],
	unreachable: [
		'The service cannot be reached',
		"The service may be down: try again later. Otherwise check that the 'Base URL' starts with https://, that its host and port are right, and that outbound HTTPS traffic is allowed.",
	],
	blockedByN8n: [
		'n8n does not allow requests to this host',
		"N8N_SSRF_PROTECTION_ENABLED blocks internal addresses. If the host in the 'Base URL' is right, add it to N8N_SSRF_ALLOWED_HOSTNAMES, or its addresses to N8N_SSRF_ALLOWED_IP_RANGES, and restart n8n.",
	],
	timedOut: [
		'The request to the service timed out',
		"The service may be down: try again later. Otherwise check that the 'Base URL' starts with https:// and that its host is right, and that outbound HTTPS traffic is allowed.",
	],
	callMayHaveBeenPlaced: [
		'No clear answer arrived, so the call may have been placed',
		'Find out whether the call took place before you place it again. Calls are never repeated automatically.',
	],
	messageMayHaveBeenSent: [
		'No clear answer arrived, so the message may have been sent',
		'Find out whether the message arrived before you send it again. Messages are never repeated automatically.',
	],
	toolCallsMixedUp: [
		'n8n has mixed up this tool call with another one, so nothing was sent',
		"In the AI Agent, set 'Batch Size' to 1, or use version 3 of the node. Then each tool call gets its own values.",
	],
	insecure: [
		'No secure connection to the service can be made',
		"Check the host and port in the 'Base URL', and the certificate of the service. If your organization issues its own certificates, set NODE_EXTRA_CA_CERTS to the PEM file of its authority and restart n8n.",
	],
	connectionLost: [
		'The connection to the service was lost',
		'Try again. Nothing incomplete was output.',
	],
	tooLarge: [
		'The answer of the service is too large',
		"For a recording, raise the option 'Max Size (MB)'. For a list, ask for smaller pages: enter its parameter from the service's Swagger UI under 'More Query Parameters' in the VoiceAgent API credential.",
	],
	tooLargeForDatabase: [
		'n8n keeps files in its database, where a recording above 256 MiB cannot be used',
		'Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem for all processes of n8n, with a folder that they share as N8N_STORAGE_PATH, and restart them. Nothing was output.',
	],
	deadlineExceeded: [
		'The answer of the service took too long',
		"Try again later: a download may take an hour, a list 15 minutes. Ask for a part of a longer list with the option 'Query Parameters' of Get Many.",
	],
	canceled: ['The execution was canceled', 'Nothing incomplete was output.'],
} as const satisfies Record<string, readonly [message: string, description: string]>;
