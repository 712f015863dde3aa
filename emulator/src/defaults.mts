/** Defaults of `createEmulator`. This file has no imports, so `--help` can show them quickly. */
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
