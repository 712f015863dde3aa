import type { ResourceMapperField } from 'n8n-workflow';

import type { CredentialContext } from '../../nodes/service/readCredential';
import { passwordsOf, recordingPasswords } from '../../nodes/service/recordingPasswords';
import { recordingPath } from '../../nodes/service/recordingPath';
import { passThrough } from '../../nodes/VoiceAgent/passThrough';
import { baseNameOf } from '../../nodes/VoiceAgent/recording/output';
import { requestBody } from '../../nodes/VoiceAgent/requestBody';

describe('request body', () => {
	const fields = (...field: Array<{ name: string; value: unknown }>) =>
		requestBody({ specifyBody: 'fields', fields: { field }, jsonBody: '' });
	const json = (jsonBody: unknown) => requestBody({ specifyBody: 'json', fields: {}, jsonBody });

	test('from fields; values keep their type', () => {
		expect(fields({ name: ' to ', value: '+15550100' }, { name: 'seconds', value: 5 })).toEqual({
			to: '+15550100',
			seconds: 5,
		});
	});

	test('from JSON, as text or as the object of an expression', () => {
		expect(json('{"to":"+15550100"}')).toEqual({ to: '+15550100' });
		expect(json({ to: '+15550100' })).toEqual({ to: '+15550100' });
	});

	test('JSON that cannot be read: the error says what is wrong, and where', () => {
		expect(() => json('{ "to": "+15550100", }')).toThrow(
			/^'JSON' is not valid JSON: .* at position 21/,
		);
		expect(() => json('[]')).toThrow("'JSON' is not a JSON object");
	});

	describe('from the form of the service', () => {
		const schema = [
			{
				id: 'level',
				type: 'options',
				options: [1, 2].map((value) => ({ name: `${value}`, value })),
			},
			{ id: 'on', type: 'options', options: [{ name: 'false', value: false }] },
			...(['string', 'number', 'boolean', 'array', 'object', 'dateTime'] as const).map((type) => ({
				id: type,
				type,
			})),
		] as unknown as ResourceMapperField[];
		const form = (value: Record<string, unknown> | null) =>
			requestBody({
				specifyBody: 'service',
				serviceFields: { value, schema },
				fields: {},
				jsonBody: '',
			});

		test.each([
			['level', 2, 2],
			['level', '2', 2],
			['on', 'false', false],
			['number', '5', 5],
			['number', 0, 0],
			['boolean', 'false', false],
			['string', 15550100, '15550100'],
			['string', ' ', ' '],
			['array', '[1, 2]', [1, 2]],
			['object', '{"a": 1}', { a: 1 }],
			['dateTime', '2026-01-01', '2026-01-01'],
			['somethingElse', '5', '5'],
		])('%s: %j is sent as %j', (name, entered, sent) => {
			const unset = { from: null, empty: '', nothing: undefined };
			expect(form({ [name]: entered, ...unset })).toStrictEqual({ [name]: sent });
		});

		test.each([
			['level', 3, "'level' must be one of: 1, 2"],
			['number', 'many', "'number' must be of type number"],
			['number', ' ', "'number' must be of type number"],
			['array', 'a, b', "'array' must be a list"],
		])('%s: %j is refused', (name, entered, message) => {
			expect(() => form({ [name]: entered })).toThrow(message);
		});

		test.each([[{ value: { to: '' } }], [{ value: null }], [undefined]])(
			'%j is refused',
			(serviceFields) => {
				const build = () =>
					requestBody({ specifyBody: 'service', serviceFields, fields: {}, jsonBody: '' });
				expect(build).toThrow('All fields of the call are empty');
			},
		);

		test('a form of which the fields are not known is sent as it was filled in', () => {
			const serviceFields = { value: { to: '+15550100', seconds: '5' } };
			expect(
				requestBody({ specifyBody: 'service', serviceFields, fields: {}, jsonBody: '' }),
			).toEqual(serviceFields.value);
		});
	});

	test.each([
		['no fields', () => fields(), "'Fields' is empty"],
		[
			'no list of fields',
			() => requestBody({ specifyBody: 'fields', fields: {}, jsonBody: '' }),
			"'Fields' is empty",
		],
		[
			'a first field without a value',
			() => fields({ name: 'to', value: undefined }),
			"The field 'to' in 'Fields' has no value",
		],
		['a field without a name', () => fields({ name: ' ', value: 1 }), "'Fields' has no name"],
		[
			'a field twice',
			() => fields({ name: 'to', value: 1 }, { name: 'to', value: 2 }),
			"more than one field 'to'",
		],
		[
			'a field without a value',
			() => fields({ name: 'from', value: null }, { name: 'to', value: undefined }),
			"The field 'to' in 'Fields' has no value",
		],
		['broken JSON', () => json('{'), "'JSON' is not valid JSON"],
		['a list', () => json('[1]'), "'JSON' is not a JSON object"],
		['null', () => json('null'), "'JSON' is not a JSON object"],
		['an empty object', () => json('{}'), "'JSON' is an empty object"],
		['nothing in an object', () => json({ to: undefined }), "'JSON' is an empty object"],
	])('%s is refused by name', (_name, build, message) => expect(build).toThrow(message));
});

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
	['2026-11-20 12:30.enc', '2026-11-20 12_30'],
	['{3F2504E0-4F89}.opus', '{3F2504E0-4F89}'],
	['../a\\b|c?.enc', '.._a_b_c_'],
	['a\nb', 'a_b'],
	['密码.enc', '密码'],
	[`${'x'.repeat(250)}.enc`, 'x'.repeat(180)],
	['.enc', 'recording'],
	['', 'recording'],
	[undefined, 'recording'],
])('an output file can bear the name of the input file %j', (fileName, baseName) => {
	expect(baseNameOf(fileName)).toBe(baseName);
});

test('passwords are used as entered, the current one first, each once', () => {
	const previous = { entries: [{ password: 'old ' }, { password: '' }, { password: ' now' }, {}] };
	expect(passwordsOf({ password: ' now', previous })).toEqual([' now', 'old ']);
	expect(passwordsOf({ password: 'only' })).toEqual(['only']);
	expect(passwordsOf({ password: 'only', previous: {} })).toEqual(['only']);
	expect(() => passwordsOf({ password: '', previous })).toThrow("'Password'");
});

test('passwords are read from the credential of the item, if the node has one', async () => {
	const read: unknown[] = [];
	const context = (selected?: object) =>
		({
			getNode: () => ({ credentials: selected }),
			async getCredentials(...which: unknown[]) {
				read.push(which);
				return { password: 'only' };
			},
		}) as unknown as CredentialContext;
	const name = 'voiceAgentRecordingPasswordApi';
	expect(await recordingPasswords(context({ [name]: { id: '1' } }), 3)).toEqual(['only']);
	expect(await recordingPasswords(context({ voiceAgentApi: { id: '2' } }), 3)).toEqual([]);
	expect(await recordingPasswords(context(), 3)).toEqual([]);
	expect(read).toEqual([[name, 3]]);
});

test('only a session GUID becomes part of a path', () => {
	expect(recordingPath('{3F2504E0-4F89}')).toBe('/api/customer/recordings/%7B3F2504E0-4F89%7D');
	expect(() => recordingPath('../../admin1')).toThrow('The session GUID cannot be used');
});
