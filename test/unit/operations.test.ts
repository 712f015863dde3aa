import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../nodes/errors';
import { outputItem } from '../../nodes/fields/operation';
import { recordingPath } from '../../nodes/service/recordings';
import { passThrough } from '../../nodes/VoiceAgent/passThrough';
import { VoiceAgent } from '../../nodes/VoiceAgent/VoiceAgent.node';
import { downloadRecording } from '../../nodes/VoiceAgent/recording/download.operation';
import { outputOf } from '../../nodes/VoiceAgent/recording/getMany.operation';
import { baseNameOf } from '../../nodes/VoiceAgent/recording/file/output';

describe('the answer to a call', () => {
	test('is passed through', () => {
		expect(passThrough({ status: 200, json: { id: 1, nested: { error: 'x' } } })).toEqual({
			id: 1,
			nested: { error: 'x' },
		});
		expect(passThrough({ status: 200, json: [1, 2] })).toEqual({ response: [1, 2] });
		expect(passThrough({ status: 200, json: { id: 1 } })).toStrictEqual({ id: 1 });
		expect(passThrough({ status: 200, json: null })).toEqual({ response: null });
		expect(passThrough({ status: 201, json: 'queued' })).toEqual({ response: 'queued' });
		expect(passThrough({ status: 202, json: undefined })).toEqual({
			accepted: true,
			httpStatus: 202,
		});
		const headers = { location: '/calls/1' };
		expect(passThrough({ status: 201, json: undefined, headers })).toEqual({
			accepted: true,
			httpStatus: 201,
			...headers,
		});
	});

	test.each(['', 'busy', 0, null, { code: 1 }])(
		'an error %j at its top moves, so that Retry On Fail cannot dial again',
		(error) => {
			expect(passThrough({ status: 200, json: { error, id: 1 } })).toEqual({
				id: 1,
				serviceError: error,
			});
		},
	);
});

test.each([
	['call.enc', 'call'],
	['2026-11-20 12:30.enc', '2026-11-20 12-30'],
	['{3F2504E0-4F89}.opus', '{3F2504E0-4F89}'],
	['../a\\b|c?.enc', '-a-b-c-'],
	['a\nb', 'a-b'],
	['密码.enc', '密码'],
	// 60 characters of three bytes have room. The end is the SHA-256 of all, so that others differ.
	[`${'界'.repeat(60)}.enc`, '界'.repeat(60)],
	[`${'界'.repeat(250)}.enc`, `${'界'.repeat(55)}-fece371682d1`],
	['.enc', 'recording'],
	['', 'recording'],
	[undefined, 'recording'],
])('an output file can bear the name of the input file %j', (fileName, baseName) => {
	expect(baseNameOf(fileName)).toBe(baseName);
});

const endedAt = '2026-11-14T12:00:00.000Z';
const expectedByWorkflows = {
	sessionGuid: 'call-0001',
	recordingKey: 'call-0001',
	to: '+15550100',
	from: null,
	endedAt,
	hoursLeft: 7,
	keptUntil: null,
};
const known = { ...expectedByWorkflows, direction: null };
const first = { none: null, mySessionGuid: 'y', sessionGuidOld: 'z' };
const beyond = { total: 3, into: 'x', To: '+15550100' };
const record = { SessionGuid: 'call-0001', nested: {}, ended: endedAt, ...first, ...beyond };
const listed = { ...known, recording: record };
test.each([
	['simplified', true, { ...expectedByWorkflows, ...first }],
	['simplified', false, listed],
	['raw', true, listed],
	['selectedFields', true, { sessionGuid: 'call-0001', hoursLeft: 7, To: '+15550100' }],
])('of a listed recording, %s (Simplify: %s) is output', (output, simple, expected) => {
	const fields = { simple, output, outputFields: ' hoursLeft , To,nothing' };
	expect(outputOf(listed, fields)).toStrictEqual(expected);
});

test('fields that only resemble those that are known are output with Simplify', () => {
	const others = { total: 3, fromage: 'y' };
	const fields = { simple: true, output: 'simplified', outputFields: '' };
	const seen = { From: '+15550199', 'Hours-Left': 7 };
	const output = outputOf({ ...known, recording: { ...seen, ...others } }, fields);
	expect(output).toStrictEqual({ ...expectedByWorkflows, ...others });
});

test('the canvas shows the resource and the operation', () => {
	const [titles = ''] = /\{"[^}]*\}/.exec(String(new VoiceAgent().description.subtitle)) ?? [];
	const some = { download: 'Recording: Download', respond: 'Call Start: Respond' };
	expect(JSON.parse(titles)).toMatchObject(some);
});

test('only a session GUID becomes part of a path', () => {
	expect(recordingPath('{3F2504E0-4F89}')).toBe('/api/customer/recordings/%7B3F2504E0-4F89%7D');
	expect(() => recordingPath('../../admin1')).toThrow("'Recording' must be a session GUID");
});

test('an operation hears what has succeeded before n8n has it, also if another item fails', async () => {
	const items = [0, 1].map((index) => outputItem(index, { sessionGuid: `call-${index}` }));
	jest.spyOn(downloadRecording, 'begin').mockReturnValue(async (index) => {
		if (index === 1) throw new VoiceAgentError('recordingGone');
		return items.slice(0, 1);
	});
	const afterItems = jest.spyOn(downloadRecording, 'afterItems').mockResolvedValue();
	const parameters: Record<string, string> = { resource: 'recording', operation: 'download' };
	const context = {
		getNodeParameter: (name: string) => parameters[name],
		getInputData: () => [{ json: {} }, { json: {} }],
		getNode: () => ({ name: 'VoiceAgent', type: 'voiceAgent', parameters }),
		continueOnFail: () => false,
	} as unknown as IExecuteFunctions;
	await expect(new VoiceAgent().execute.call(context)).rejects.toThrow(/recording/);
	expect(afterItems.mock.calls).toEqual([[context, items.slice(0, 1)]]);
	jest.restoreAllMocks();
});
