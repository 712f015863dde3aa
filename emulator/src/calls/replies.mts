import { replyOf, type ShapedReply } from '../shapes/shapedReply.mts';
import type { Shapes } from '../shapes/unknowns.mts';
import { type Call, type MakeCallReply } from './callSchema.mts';

/** Spells a lower-case UUID as the service spells its session GUIDs. */
export function newSessionGuid(uuid: string, shape: Shapes['sessionGuid']): string {
	const spell: Record<Shapes['sessionGuid'], () => string> = {
		lowerCase: () => uuid,
		upperCase: () => uuid.toUpperCase(),
		braces: () => `{${uuid}}`,
		noHyphens: () => uuid.replaceAll('-', ''),
	};
	return spell[shape]();
}

export function makeCallReply(
	call: Pick<Call, 'sessionGuid' | 'to'>,
	shapes: Readonly<Shapes>,
): ShapedReply {
	const body: MakeCallReply = { sessionGuid: call.sessionGuid, status: 'queued', to: call.to };
	return replyOf(shapes.makeCallReply, body);
}
