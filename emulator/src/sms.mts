import { Type } from 'typebox';
import { named } from './schema.mts';
import type { ShapedReply } from './shapes/shapedReply.mts';
import type { Shapes } from './shapes/unknowns.mts';

export const SmsRequest = named(
	'SmsRequest',
	Type.Object({}, { additionalProperties: true, description: 'Not yet defined by the service' }),
);

export function smsReply({ sms }: Readonly<Shapes>): ShapedReply {
	return { status: Number(sms), body: sms === '200' ? { status: 'queued' } : undefined };
}
