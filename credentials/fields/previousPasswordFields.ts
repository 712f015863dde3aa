import type { INodeProperties } from 'n8n-workflow';

import { EMPTY } from './empty';

const NUMBERS = [1, 2, 3, 4, 5];

/**
 * Earlier passwords, so that older recordings can still be decrypted. Each has a field of its own,
 * which appears when the one before it is filled: n8n restores the values of a list by their
 * position, so it would lose a password when another one is removed.
 */
export const previousPasswordFields = NUMBERS.map(
	(number): INodeProperties => ({
		displayName: number === 1 ? 'Previous Password' : `Previous Password ${number}`,
		name: `previousPassword${number}`,
		type: 'string',
		typeOptions: { password: true },
		default: '',
		description:
			number === 1
				? 'The password before this one, so that older recordings can still be decrypted'
				: 'An older password',
		displayOptions: {
			hide: { [number === 1 ? 'recordingPassword' : `previousPassword${number - 1}`]: EMPTY },
		},
	}),
);
