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
	{
		file: 'nodes/VoiceAgent/recording/archiveProof.ts',
		code: "return `${parseChecksum('', checksum)} ${parseSize('', size)}`;",
		replacement: '"Stryker was here!"',
		why: 'The name is only for a message, which is not shown here.',
	},
	{
		file: 'nodes/VoiceAgent/recording/archiveProof.ts',
		code: '} catch {',
		replacement: '{}',
		why: 'A function that returns nothing returns undefined.',
	},
	{
		file: 'nodes/VoiceAgent/recording/archiveProof.ts',
		code: `const text = typeof value === 'string' ? value.trim().replace(/^"(.*)"$/, '$1') : '';`,
		replacement: '"Stryker was here!"',
		why: 'It is no checksum either.',
	},
	{
		file: 'nodes/VoiceAgent/recording/archiveProof.ts',
		code: "const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';",
		replacement: '"Stryker was here!"',
		why: 'It is no size either.',
	},
	{
		file: 'nodes/fields/checkedValue.ts',
		code: 'const fields = groups.find((group) => group.name === key)?.values ?? [];',
		replacement: '["Stryker was here"]',
		why: 'A text is no field with the name of a member.',
	},
	{
		file: 'nodes/fields/checkedValue.ts',
		code: "typeof number === 'number' &&",
		replacement: 'true',
		why: 'Number.isInteger and Number.isFinite take nothing but numbers. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/recording/filePath.ts',
		code: "const last = segments.pop() ?? '';",
		replacement: '"Stryker was here!"',
		why: 'A text that is split has a part, and a part for each placeholder.',
	},
	{
		file: 'nodes/VoiceAgent/recording/filePath.ts',
		code: "return { path: safe.join('/'), fileName: safe.at(-1) ?? '' };",
		replacement: '"Stryker was here!"',
		why: 'A text that is split has a part, and a part for each placeholder.',
	},
	{
		file: 'nodes/VoiceAgent/recording/filePath.ts',
		code: "const [start = '', ...parts] = segment.split(/\\{(\\w*)\\}/);",
		replacement: '"Stryker was here!"',
		why: 'A text that is split has a part, and a part for each placeholder.',
	},
	{
		file: 'nodes/VoiceAgent/recording/filePath.ts',
		code: "const [placeholder = '', next = ''] = parts.slice(index, index + 2);",
		replacement: '"Stryker was here!"',
		why: 'A text that is split has a part, and a part for each placeholder.',
	},
	{
		file: 'nodes/VoiceAgent/recording/filePath.ts',
		code: "return { date, time: time?.replaceAll(':', '-') };",
		replacement: 'time.replaceAll',
		why: 'The format has a date and a time. TypeScript cannot know it.',
	},
	{
		file: 'nodes/VoiceAgent/recording/repeated.ts',
		code: 'return [period, period - 1].map((one) => `${canonicalSessionGuid(sessionGuid)} ${one}`);',
		replacement: 'period + 1',
		why: 'With either neighbor, two executions share a period exactly when theirs are the same or follow each other.',
	},
	{
		file: 'nodes/VoiceAgent/recording/repeated.ts',
		code: "return [context.getWorkflow().id, context.getNode().id, recording].join(' ');",
		replacement: '""',
		why: "n8n's identifiers and session GUIDs have fixed lengths.",
	},
	{
		file: 'nodes/service/times.ts',
		code: "const [, hour, minute, second = '0', fraction = '0', half, sign, zoneHours, zoneMinutes = '0'] =",
		replacement: '""',
		why: 'The number of an empty text is 0 too.',
	},
	{
		file: 'nodes/service/times.ts',
		code: "const [, first = '', , middle = '', last = ''] =",
		replacement: '"Stryker was here!"',
		why: 'No year or day has this length either.',
	},
	{
		file: 'nodes/service/times.ts',
		code: "const name = (name1 ?? name2 ?? '').toLowerCase();",
		replacement: '"Stryker was here!"',
		why: 'Without a name there is no year, so it is no date either.',
	},
	{
		file: 'nodes/service/times.ts',
		code: 'const [, milliseconds] = /^\\/Date\\((-?\\d+)(?:[+-]\\d{4})?\\)\\/$/.exec(text) ?? [];',
		replacement: '["Stryker was here"]',
		why: 'The first element, the whole match, is not used.',
	},
	{
		file: 'nodes/service/times.ts',
		code: '/^(\\d+)([-/.])(\\d{1,2})\\2(\\d+)$/.exec(text) ?? [];',
		replacement: '["Stryker was here"]',
		why: 'The first element, the whole match, is not used.',
	},
	{
		file: 'nodes/service/times.ts',
		code: ') ?? [];',
		replacement: '["Stryker was here"]',
		why: 'The first element, the whole match, is not used.',
	},
	{
		file: 'nodes/service/sessionGuid.ts',
		code: 'const NAME = /(?:^|[.[:/])session[^a-z\\d]*guid[^a-z\\d]*$/i;',
		replacement: '/(?:^|[.[:/])session[^a-z\\d]*guid[^a-z\\d]*/i',
		why: 'The name alone is compared with this end before, which is faster.',
	},
	{
		file: 'nodes/service/sessionGuid.ts',
		code: 'name.length < 100 && /guid[^a-z\\d]*$/i.test(name) && NAME.test(`${around.slice(-100)}.${name}`)',
		replacement: '/guid[^a-z\\d]*/i',
		why: 'NAME has this end too. To look for it first is faster.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/addressRange.ts',
		code: 'const [, address, digits] = /^([^/]*)(?:\\/(\\d{1,3}))?$/.exec(entry) ?? [];',
		replacement: '["Stryker was here"]',
		why: 'The first element, the whole match, is not used.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/addressRange.ts',
		code: 'const prefix = digits === undefined ? bytes.length * 8 : Number(digits);',
		replacement: 'false',
		why: 'With NaN, all bits are compared too.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/addressRange.ts',
		code: 'bytes.length === 16 &&',
		replacement: 'true',
		why: 'An IPv4 address has no tenth byte.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/signature.ts',
		code: '? signature.toLowerCase()',
		replacement: 'signature.toUpperCase()',
		why: 'Both signatures are spelled in the same way.',
	},
	{
		file: 'nodes/VoiceAgentTrigger/signature.ts',
		code: '? header.split(/[\\s,;]+/)',
		replacement: '/[\\s,;]/',
		why: 'Empty pieces are left out afterwards.',
	},
];
