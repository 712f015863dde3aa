/**
 * Changes that no test can notice, with the reason. They do not count.
 *
 * @type {Array<{ file: string, code: string, replacement: string, why: string }>} `code` is the changed line
 */
export const explained = [
	{
		file: 'file-decryptor/src/sameChunks.mts',
		code: "return new Refusal('changedWhileRead', 'Another program changed the file while it was read');",
		replacement: '""',
		why: 'Only --json shows this code, and it cannot be combined with a recording on standard output.',
	},
	{
		file: 'nodes/VoiceAgent/call/callGuard.ts',
		code: "return typeof value === 'string' ? withValueAt(body, found[0] ?? [], destination) : body;",
		replacement: '["Stryker was here"]',
		why: 'A value was found, so its path was too. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/call/callGuard.ts',
		code: 'if (name === undefined) return object;',
		replacement: 'false',
		why: 'A path that was found has a name for each object. TypeScript cannot know it.',
	},
	{
		file: 'nodes/service/retention.ts',
		code: 'return fieldsNamed(record, field || isCallEndName) ?? [];',
		replacement: '["Stryker was here"]',
		why: 'A text has no value, so no time is found in it either.',
	},
];
