/**
 * Changes that no test can notice, with the reason. They do not count.
 *
 * @type {Array<{ file: string, code: string, replacement: string, why: string }>} `code` is the changed line
 */
export const explained = [
	{
		file: 'nodes/fields/values.ts',
		code: "typeof number === 'number' &&",
		replacement: 'true',
		why: 'Number.isInteger and Number.isFinite take nothing but numbers. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/recording/file/filePath.ts',
		code: "return { date, time: time?.replaceAll(':', '-') };",
		replacement: 'time.replaceAll',
		why: 'The format has a date and a time. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/recording/presence/repeated.ts',
		code: 'const entries = [`${guid} ${period}`, `${guid} ${period - 1}`];',
		replacement: 'period + 1',
		why: 'With either neighbor, two executions share a period exactly when theirs are the same or follow each other.',
	},
	{
		file: 'nodes/service/credentials/recordingPasswords.ts',
		code: 'const { entries = [] } = (fields.previous ?? {}) as {',
		replacement: '["Stryker was here"]',
		why: 'A text has no field with a password.',
	},
	{
		file: 'nodes/recordingFile/encryptedRecording.ts',
		code: 'if (chunk.length >= TAG_BYTES) {',
		replacement: 'false',
		why: 'Both ways decipher the same bytes. This one copies less.',
	},
	{
		file: 'nodes/recordingFile/encryptedRecording.ts',
		code: 'if (chunk.length >= TAG_BYTES) {',
		replacement: 'chunk.length > TAG_BYTES',
		why: 'Both ways decipher the same bytes. This one copies less.',
	},
	{
		file: 'nodes/recordingFile/encryptedRecording.ts',
		code: '} catch {',
		replacement: '{}',
		why: 'A function that returns nothing returns undefined, which is not true either.',
	},
	{
		file: 'nodes/VoiceAgent/recording/archive/downloadedFiles.ts',
		code: '} catch {',
		replacement: '{}',
		why: 'A function that returns nothing returns undefined.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/request.ts',
		code: '(_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted,',
		replacement: 'rawHeaders[index - 1].toLowerCase',
		why: 'A value follows a name. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/recording/archive/downloadedFiles.ts',
		code: 'return runs.map((run) => read(proxy, name, ({ all }) => all(0, run)) ?? []);',
		replacement: '["Stryker was here"]',
		why: 'A text has no fields and no files.',
	},
	{
		file: 'nodes/VoiceAgent/recording/archive/downloadedFiles.ts',
		code: 'if (downloadedIn === undefined || checkedIn !== thisOne) return false;',
		replacement: 'false',
		why: 'n8n has no execution without a number. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/recording/presence/listing.ts',
		code: "return sessionGuid.replace(/[{}_-]/g, '').toLowerCase();",
		replacement: "sessionGuid.replace(/[{}_-]/g, '').toUpperCase()",
		why: 'Both make letters alike.',
	},
	{
		file: 'nodes/VoiceAgent/recording/presence/availability.ts',
		code: 'if (!(error instanceof VoiceAgentError)) return false;',
		replacement: 'false',
		why: 'Other errors have neither a reason nor such a status. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/recording/searchRecordings.ts',
		code: 'entries.sort((a, b) => (a.endedAt === b.endedAt ? 0 : a.endedAt < b.endedAt ? 1 : -1));',
		replacement: 'a.endedAt <= b.endedAt',
		why: 'Equal ends are found before.',
	},
];
