import { type INodeParameters, type INodeProperties, NodeHelpers } from 'n8n-workflow';

import { checkedValue } from './checkedValue';
import type { Field, ValuesOf } from './field';

/**
 * The values of all fields. Those that n8n shows for these values are checked; a hidden one does not matter, so it stays
 * as it is.
 *
 * @throws VoiceAgentError `invalidParameter`, see {@link checkedValue}
 */
export function checkedValues<const Fields extends readonly Field[]>(
	fields: Fields,
	values: Readonly<Record<string, unknown>>,
): ValuesOf<Fields> {
	const checked = { ...values };
	for (const field of fields) {
		if (isShown(field, values)) checked[field.name] = checkedValue(field, values[field.name]);
	}
	return checked as ValuesOf<Fields>;
}

function isShown(field: Field, values: Readonly<Record<string, unknown>>): boolean {
	return NodeHelpers.displayParameter(
		values as INodeParameters,
		field as INodeProperties,
		null,
		null,
	);
}
