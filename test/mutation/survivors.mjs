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
		file: 'nodes/VoiceAgent/recording/file/output.ts',
		code: "fileName: fileName.replace(/^.*\\//, ''),",
		replacement: '/.*\\//',
		why: 'It takes all that comes before the last slash, from the start in any case.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/access.ts',
		code: "const [address = '', length] = entry.split('/');",
		replacement: '"Stryker was here!"',
		why: 'A text has a first part. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/access.ts',
		code: "const [start = [], end = []] = parts.map((part) => part.split(':').filter(Boolean));",
		replacement: '["Stryker was here"]',
		why: 'A text has a first part. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/access.ts',
		code: "const [start = [], end = []] = parts.map((part) => part.split(':').filter(Boolean));",
		replacement: "part.split(':')",
		why: 'An address and a range get the same digits in the same place.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/access.ts',
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
		code: 'function inTypeOf({ id: name, type, options = [] }: ResourceMapperField, value: unknown): unknown {',
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
		file: 'nodes/VoiceAgent/oncePerItem.ts',
		code: 'kept.unclear = [...(kept.unclear ?? []), ...identities];',
		replacement: '["Stryker was here"]',
		why: 'No digest is this text.',
	},
	{
		file: 'nodes/VoiceAgent/oncePerItem.ts',
		code: "const [oldest = ''] = sentByNode.keys();",
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
