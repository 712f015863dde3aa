import type { IExecuteFunctions } from 'n8n-workflow';

import { itemsOfSession } from '../../nodes/VoiceAgent/recording/archive/archivedFiles';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const OTHER = '9b2e1f64-7c8d-4e5f-8a9b-0c1d2e3f4a5b';

describe('the items of a session', () => {
	const ids = [GUID, OTHER, `{${GUID.toUpperCase()}}`, OTHER];
	const contextWith = (items: object[]) =>
		({ getInputData: () => items }) as unknown as IExecuteFunctions;
	const context = contextWith(ids.map(() => ({})));

	test.each([
		[GUID, [0, 2]],
		[OTHER.toUpperCase(), [1, 3]],
		['0e8f6d6e-1111-4222-8333-444455556666', []],
	])('%s', (guid, indexes) => {
		expect(itemsOfSession(context, guid, (index) => ids[index] ?? '')).toEqual(indexes);
	});

	test('cannot be told if an item names none', () => {
		const guidAt = (index: number) => {
			if (index > 0) throw new Error('it names none');
			return GUID;
		};
		expect(() => itemsOfSession(contextWith([{}, {}]), GUID, guidAt)).toThrow('it names none');
	});
});
