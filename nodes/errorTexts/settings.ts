/** What is wrong in parameters, credentials and the answer to CallStart. */
export const settings = {
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
		'The options of this node refuse it: check them, the number, and whether the call was placed before. To call again, run the workflow anew.',
	],
	doNotCallUnusable: [
		"No call was placed: 'Do Not Call' cannot be used",
		"Each entry must be + and digits, such as +15550100, and read from the right column. Correct the list, or enter 'none' if nobody is on it.",
	],
	passwordMissing: [
		'The recording is encrypted, and no password is available',
		"Select a VoiceAgent Recording Password API credential in this node. The operation Download can also keep the file as it is, such as audio of an unknown kind: set 'Decrypt' to 'Never'.",
	],
	encryptionPasswordMissing: [
		"'Encrypt Recording' is on, and no password is available",
		"Select a VoiceAgent Recording Password API credential with a password in this node, or turn 'Encrypt Recording' off. Until then, calls are not recorded.",
	],
	passwordUnprotected: [
		'Nothing proves who asks, so anyone could get the recording password',
		"Begin with a VoiceAgent Trigger that has the password credential, and 'Authentication' or 'Allowed IP Addresses' (ranges from /8), or turn off 'Encrypt Recording'.",
	],
	nobodyWaitsForResponse: [
		'No VoiceAgent Trigger waits for this response',
		"Begin the workflow with a VoiceAgent Trigger on Call Start, and set its 'Respond' to 'Using Respond to Call Start'.",
	],
} as const;
