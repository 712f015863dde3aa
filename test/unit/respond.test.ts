import type { IExecuteFunctions, NodeTypeAndVersion } from 'n8n-workflow';

import { readOtherAnswer } from '../../nodes/VoiceAgent/callStart/otherAnswer';
import { waitsForResponse } from '../../nodes/VoiceAgent/callStart/respond.operation';

const node = (type: string, parameters?: object, more = {}) =>
	({ name: 'Node', typeVersion: 1, type, parameters, ...more }) as NodeTypeAndVersion;

const OURS = '@someone/n8n-nodes-voiceagent.voiceAgentTrigger';
const WEBHOOK = 'n8n-nodes-base.webhook';
const waiting = { event: 'callStart', respond: 'responseNode' };

test.each<[string, object]>([
	[OURS, waiting],
	['CUSTOM.voiceAgentTrigger', waiting],
	[WEBHOOK, { responseMode: 'responseNode' }],
])('a node of the type %s with %j waits for a response', (type, parameters) => {
	expect(waitsForResponse(node(type, parameters))).toBe(true);
});

test.each<[string, object | undefined]>([
	[OURS, { ...waiting, event: 'callEnd' }],
	[OURS, undefined],
	['n8n-nodes-voiceagent.voiceAgent', waiting],
	['voiceAgentTrigger', waiting],
	[WEBHOOK, { responseMode: 'lastNode' }],
	[WEBHOOK, undefined],
	[WEBHOOK, waiting],
	['n8n-nodes-base.formTrigger', { responseMode: 'responseNode' }],
])('a node of the type %s with %j does not wait for a response', (type, parameters) => {
	expect(waitsForResponse(node(type, parameters))).toBe(false);
});

test.each<[string, object]>([
	[OURS, waiting],
	[WEBHOOK, { responseMode: 'responseNode' }],
])('a deactivated node of the type %s with %j does not wait for a response', (type, parameters) => {
	expect(waitsForResponse(node(type, parameters, { disabled: true }))).toBe(false);
});

describe('the answer of another system', () => {
	const fields = {
		keepOtherAnswer: true,
		otherAnswerField: 'data',
		recordCall: true,
		recordCallFormat: 'opus',
		encryptRecording: false,
	} as const;

	async function read(file: string | Buffer, changes: Partial<typeof fields> | object = {}) {
		const getBinaryDataBuffer = async (itemIndex: number, name: string) => {
			expect([itemIndex, name]).toEqual([0, 'data']);
			return await Promise.resolve(Buffer.from(file as string));
		};
		const context = { helpers: { getBinaryDataBuffer } } as unknown as IExecuteFunctions;
		return await readOtherAnswer(context, 0, { ...fields, ...changes });
	}

	test('is read as it is, without a byte order mark', async () => {
		const answer = ' {"Service_Instructions":{"aiUrl":"é", "id":12345678901234567890}}\n';
		expect(await read(answer)).toBe(answer);
		expect(await read(`\ufeff${answer}`)).toBe(answer);
		expect(await read('not read', { keepOtherAnswer: false })).toBeUndefined();
	});

	test.each<[string, string | Buffer]>([
		['a page', '<html>'],
		['nothing', ''],
		['other JSON', '{"aiUrl":"x"}'],
		['Latin-1', Buffer.from('{"Service_Instructions":{"a":"é"}}', 'latin1')],
	])('must not be %s', async (_name, file) => {
		await expect(read(file)).rejects.toThrow("The file in 'data' is not an answer to CallStart");
	});

	test('must not encrypt a recording that would not be encrypted any more', async () => {
		const answer = '{"Service_Instructions":{"RecordCallPassword":"theirs"}}';
		await expect(read(answer)).rejects.toThrow("so turn on 'Encrypt Recording'");
		expect(await read(answer, { encryptRecording: true })).toBe(answer);
		expect(await read(answer, { recordCall: false })).toBe(answer);
	});
});
