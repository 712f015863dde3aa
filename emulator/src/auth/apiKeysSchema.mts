import { Type } from 'typebox';
import { named, strict, TextEnum } from '../schema.mts';
import { API_KEY_PATTERN, type ApiKey, permissions } from './permissions.mts';

export const ApiKeys = named(
	'ApiKeys',
	Type.Unsafe<{ apiKeys: readonly ApiKey[] }>(
		Type.Object(
			{
				apiKeys: Type.Array(
					Type.Object(
						{
							key: Type.String({ pattern: API_KEY_PATTERN, maxLength: 1000 }),
							permissions: Type.Array(TextEnum([...permissions])),
						},
						strict,
					),
				),
			},
			strict,
		),
	),
);
