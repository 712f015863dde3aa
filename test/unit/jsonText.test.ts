import { changeMembers, membersOf, textOf } from '../../nodes/data/jsonText';

describe('the text of an object', () => {
	test.each([
		'{}',
		' { } ',
		'{"a":1}',
		'\n{ "a" : 1 ,\t"b":[1,{"c":","}] , "a":"}" }\n',
		String.raw`{"\"":"\\","a\\":"\":{","":{"d":[]},"big":12345678901234567890,"é":"\u00e9"}`,
		'{"10":1.0,"9":1e2,"__proto__":{"a":null}}',
	])('%j stays as it is, and its members have their names', (text) => {
		expect(changeMembers(text, (members) => members.map(textOf))).toBe(text.replace('{ }', '{}'));
		const names = membersOf(text).map(({ name }) => name);
		expect(new Set(names)).toEqual(new Set(Object.keys(JSON.parse(text) as object)));
	});

	test('members that are changed, added and left out leave the others alone', () => {
		const text = '{ "a" : 1 , "b": {"a": 2} ,"c":3 }';
		const changed = changeMembers(text, (members) => [
			'"new":0',
			...members.flatMap((member) => {
				if (member.name === 'a') return [];
				return [member.name === 'c' ? `${member.label}[]` : textOf(member)];
			}),
		]);
		expect(changed).toBe('{"new":0, "b": {"a": 2} ,"c":[]}');
	});

	test('a long text with many escapes does not exhaust the stack', () => {
		const text = `{"a":"${'\\"'.repeat(500_000)}","b":${'['.repeat(1000)}${']'.repeat(1000)}}`;
		expect(membersOf(text).map(({ name }) => name)).toEqual(['a', 'b']);
	});
});
