/** One for each endpoint. A key without it is refused with 403. */
export const permissions = [
	'makeCall',
	'listRecordings',
	'downloadRecording',
	'deleteRecording',
	'sendSms',
] as const;
export type Permission = (typeof permissions)[number];

export interface ApiKey {
	key: string;
	permissions: readonly Permission[];
}

/** The accepted keys, unless the options name others. */
export const defaultApiKeys: readonly ApiKey[] = [
	{ key: 'demo-key', permissions },
	{ key: 'demo-key-no-permission', permissions: [] },
];

/** Service specification, Authentication: no extra spaces or line breaks. */
export const API_KEY_PATTERN = '^[\\x21-\\x7e]+$';
