import { moreInstructionsField, recordingFields } from '../../nodes/fields/instructionFields';
import { checkedValues, enteredValues } from '../../nodes/fields/values';
import {
	buildInstructions,
	hasPassword,
	instructionsIn,
	isCallStartReply,
	putRecordingInto,
} from '../../nodes/service/serviceInstructions';

const PASSWORD = 'correct horse';

function values(
	changes: Record<string, unknown> = {},
	moreInstructions: unknown = {},
): Record<string, unknown> {
	return {
		recordCall: true,
		recordCallFormat: 'wav',
		encryptRecording: false,
		moreInstructions,
		...changes,
	};
}

function reply(entered: Record<string, unknown>, password: string | undefined) {
	const { moreInstructions } = entered;
	return buildInstructions(
		{ ...checkedValues(recordingFields, entered), moreInstructions },
		password,
	);
}

// The names are those of the service specification, "Instructions block".
describe('the reply to CallStart', () => {
	test.each(['opus', 'mp3', 'wav'])(
		'asks for a recording as %s without encryption',
		(recordCallFormat) => {
			expect(reply(values({ recordCallFormat }), undefined)).toEqual({
				Service_Instructions: { recordCall: true, recordCallFormat },
			});
		},
	);

	test('asks for an encrypted recording with the password and all other fields', () => {
		expect(
			reply(
				values(
					{ encryptRecording: true },
					'{"maxSeconds":90,"aiUrl":{"url":"https://ai.example.com"},"language":"en"}',
				),
				PASSWORD,
			),
		).toEqual({
			Service_Instructions: {
				aiUrl: { url: 'https://ai.example.com' },
				maxSeconds: 90,
				recordCall: true,
				recordCallFormat: 'wav',
				recordCallPassword: PASSWORD,
				language: 'en',
			},
		});
	});

	test('has no password that was not asked for', () => {
		expect(JSON.stringify(reply(values(), PASSWORD))).not.toContain(PASSWORD);
		const unrecorded = values({ recordCall: false, encryptRecording: true });
		expect(JSON.stringify(reply(unrecorded, PASSWORD))).not.toContain(PASSWORD);
	});

	test.each([
		['', {}],
		[' \n', {}],
		['{}', {}],
		[{}, {}],
		[{ maxSeconds: 5 }, { maxSeconds: 5 }],
	])('asks for no recording, with the other instructions %j', (more, others) => {
		expect(reply(values({ recordCall: false }, more), undefined)).toStrictEqual({
			Service_Instructions: { recordCall: false, ...others },
		});
	});

	test.each([undefined, ''])('cannot ask for encryption without a password (%j)', (password) => {
		expect(() => reply(values({ encryptRecording: true }), password)).toThrow(
			"'Encrypt Recording' is on, and no password is available",
		);
	});

	test.each<[string, Record<string, unknown>, string]>([
		[
			'an instruction without a value',
			values({}, { maxSeconds: undefined }),
			"'More Instructions (JSON)' has no value for 'maxSeconds'",
		],
		['broken JSON', values({}, '{'), "'More Instructions (JSON)' is not valid JSON"],
		['text', values({}, '"https://x"'), "'More Instructions (JSON)' is not a JSON object"],
		['a list', values({}, []), "'More Instructions (JSON)' is not a JSON object"],
		['nothing', values({ moreInstructions: undefined }), 'is not a JSON object'],
		['a field twice', values({}, '{"RecordCall":true}'), "must not contain 'RecordCall'"],
		[
			'a password in the open, with separators',
			values({}, '{"Record-Call-Password":"x"}'),
			"there is a field for it: 'Encrypt Recording'",
		],
	])('%s is refused by name', (_name, wrong, message) => {
		expect(() => reply(wrong, undefined)).toThrow(message);
	});

	test.each(['recordCall', 'recordCallFormat'])('%s has a field of its own', (name) => {
		expect(() => reply(values({}, { [name]: 1 }), undefined)).toThrow(
			/ must not contain '\w+', because there is a field for it$/,
		);
	});
});

describe('the answer of a workflow', () => {
	test.each([
		[{ Service_Instructions: {} }, true],
		[{ Service_Instructions: { recordCall: true }, other: 1 }, true],
		[{ service_instructions: {} }, false],
		[{ Service_Instructions: null }, false],
		[{ Service_Instructions: [] }, false],
		[undefined, false],
	])('%j is taken for instructions: %s', (body, expected) => {
		expect(isCallStartReply(body)).toBe(expected);
	});
});

describe('the answer of another system', () => {
	test.each([
		['{"Service_Instructions":{"aiUrl":"x"},"a":1}', { aiUrl: 'x' }],
		['{"a":{"Service_Instructions":{}},"Service_Instructions":{}}', {}],
		['{"Service_Instructions":{},"Service_Instructions":{"aiUrl":"x"}}', undefined],
		[String.raw`{"Service_Instructions":{},"Service\u005fInstructions":{}}`, undefined],
		['{"Service_Instructions":[]}', undefined],
		['{"aiUrl":"x"}', undefined],
		['["Service_Instructions"]', undefined],
		['<html>', undefined],
		['', undefined],
	])('%s has the instructions %j', (answer, instructions) => {
		expect(instructionsIn(answer)).toEqual(instructions);
	});

	const recording = { recordCall: true, recordCallFormat: 'wav' };
	const added = '"recordCall":true,"recordCallFormat":"wav"';
	test.each([
		['{"Service_Instructions":{}}', `{"Service_Instructions":{${added}}}`],
		[
			'{"recordCall":false, "Service_Instructions": { "id":12345678901234567890, "a":1,"a":2 } }',
			`{"recordCall":false, "Service_Instructions": {${added}, "id":12345678901234567890, "a":1,"a":2 } }`,
		],
		[
			'{"Service_Instructions":{"recordCall":false,"aiUrl":"x","record_call_password":"y","RecordCallFormat":1}}',
			`{"Service_Instructions":{${added},"aiUrl":"x"}}`,
		],
	])('%s gets instructions for recording in the place of its own', (answer, wanted) => {
		expect(putRecordingInto(answer, recording)).toBe(wanted);
	});

	test('has a password in any spelling', () => {
		expect(hasPassword({ RecordCallPassword: '' })).toBe(true);
		expect(hasPassword({ record_call_password: 1 })).toBe(true);
		expect(hasPassword({ recordCallPassword: null })).toBe(false);
		expect(hasPassword({ ...recording, aiUrl: { recordCallPassword: 'x' } })).toBe(false);
	});
});

test('the defaults of the fields switch nothing on', () => {
	const fields = [...recordingFields, moreInstructionsField];
	expect(
		reply(
			enteredValues(fields, (field) => field.default),
			undefined,
		),
	).toEqual({
		Service_Instructions: { recordCall: false },
	});
	const entered = { ...values({}, { maxSeconds: 5 }) } as Record<string, unknown>;
	expect(enteredValues(fields, ({ name }) => entered[name])).toEqual(entered);
});
