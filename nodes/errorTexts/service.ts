/** What is wrong with the service, its answers or the connection. */
export const service = {
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
	notYetAvailable: {
		message: 'Sending SMS is not yet available from the service',
		description: 'The service has announced it, but does not offer it yet. Nothing was sent.',
	},
	rejected: {
		message: 'The service rejected the request',
		description: "Compare the values that were sent with the service's Swagger UI.",
	},
	rateLimited: {
		message: 'The service receives too many requests (429)',
		description: 'Wait and try again.',
	},
	serverError: {
		message: 'The service failed to process the request',
		description: 'The service may be down: try again later, or contact its support.',
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
		message: 'No form for a call can be made from the API document of the service',
		description:
			"Look in the service's Swagger UI for its OpenAPI document, and enter that path as 'API Document Path' in the VoiceAgent API credential. Or enter the call details with 'Using Fields Below' or 'Using JSON'.",
	},
	unreadableList: {
		message: 'The service answered with a list of recordings in an unknown shape',
		description:
			"Check the 'Base URL' in the VoiceAgent API credential, and name the field that holds the recordings under 'List Field' in that credential.",
	},
	incompleteList: {
		message: 'The list of recordings is incomplete',
		description:
			"Set 'Paging' in the VoiceAgent API credential as the service's Swagger UI describes it, or to 'The List Is Complete' to use what was read.",
	},
	unclearList: {
		message: 'It is not clear whether the list of recordings is complete',
		description:
			"Set 'Paging' in the VoiceAgent API credential: to 'The List Is Complete', or to the way in which the service sends further pages.",
	},
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
		message: 'The request to the service timed out',
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
		message: 'Only part of the recording arrived',
		description:
			'The service sent only part of the file (206), although the node requested all of it. Check any proxy in between.',
	},
	tooLarge: {
		message: 'The answer of the service is too large',
		description:
			"For a recording, raise the option 'Max Size (MB)'. For a list, ask for smaller pages: enter its parameter from the service's Swagger UI under 'More Query Parameters' in the VoiceAgent API credential.",
	},
	tooLargeForDatabase: {
		message: 'n8n keeps files in its database, where a recording above 256 MiB cannot be used',
		description:
			'Set N8N_DEFAULT_BINARY_DATA_MODE to filesystem for all processes of n8n, with a folder that they share as N8N_STORAGE_PATH, and restart them. Nothing was output.',
	},
	deadlineExceeded: {
		message: 'The answer of the service took too long',
		description:
			"Try again later: a download may take an hour, a list 15 minutes. Ask for a part of a longer list with the option 'Query Parameters' of Get Many.",
	},
	canceled: {
		message: 'The execution was canceled',
		description: 'Nothing incomplete was output.',
	},
} as const;
