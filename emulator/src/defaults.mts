/** Defaults of `createEmulator`. Without imports, so that the command line can show them quickly. */
export const defaults = {
	host: '127.0.0.1',
	callSpeed: 1,
	ringSeconds: 1,
	defaultDurationSeconds: 5,
	recordingDelayMs: 0,
	webhookTimeoutMs: 10_000,
	maxLogEntries: 10_000,
	maxLogBytes: 50_000_000,
} as const;
