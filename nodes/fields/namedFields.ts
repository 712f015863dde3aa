import type { Field } from './field';

// The specification does not show the fields of records and payloads, so the user can name these two.

export const sessionGuidField = {
	displayName: 'Session GUID Field',
	name: 'sessionGuidField',
	type: 'string',
	default: '',
	placeholder: 'e.g. call.reference',
	description:
		'Name of the field that holds the session GUID, with dots for nested fields. By default, the field sessionGuid is found at any depth and in any spelling.',
} as const satisfies Field;

export const callEndField = {
	displayName: 'Call End Field',
	name: 'callEndField',
	type: 'string',
	default: '',
	placeholder: 'e.g. call.endedAt',
	description:
		'Name of the field that shows when the call ended, with dots for nested fields. By default, a field such as endedAt or end_time is found.',
} as const satisfies Field;
