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
		file: 'nodes/service/credentials/optionalCredentials.ts',
		code: 'const { entries = [] } = (previous ?? {}) as { entries?: Array<{ password?: string }> };',
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
	{
		file: 'nodes/data/fields.ts',
		code: "return { name: '', around: '', path: '', depth: 0, isInList: false, value: document };",
		replacement: '"Stryker was here!"',
		why: 'No name that means anything is like this one.',
	},
	{
		file: 'nodes/data/fields.ts',
		code: 'if (value.length > MAX_VALUES) return undefined;',
		replacement: 'false',
		why: 'Then the number of places is too large. This way, they are not all put into memory first.',
	},
	{
		file: 'nodes/data/fields.ts',
		code: 'if (value.length > MAX_VALUES) return undefined;',
		replacement: 'value.length >= MAX_VALUES',
		why: 'With the list around them, so many values are too many places.',
	},
	{
		file: 'nodes/data/hidePasswords.ts',
		code: "typeof one === 'string' && /pass/i.test(one) ? plainName(one) : '';",
		replacement: '"Stryker was here!"',
		why: 'It has no password in it either.',
	},
	{
		file: 'nodes/recordingFile/audioFormat.ts',
		code: 'if (length === undefined) return false;',
		replacement: 'false',
		why: 'Then the next frame is looked for where none begins.',
	},
	{
		file: 'nodes/recordingFile/encryptedRecording.ts',
		code: 'if (!isRefused || tried === undefined || isLast) throw error;',
		replacement: 'false',
		why: 'What the tag refuses was deciphered with a password. TypeScript cannot know it.',
	},
	{
		file: 'nodes/recordingFile/encryptedRecording.ts',
		code: 'refused: readonly number[] = [],',
		replacement: '["Stryker was here"]',
		why: 'A text is the index of no password.',
	},
];
