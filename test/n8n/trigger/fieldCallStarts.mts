/** What people reported about CallStart webhooks: the cases `call-start` of test/vectors/field. */
import type { Stack } from '../../../harness/stack.mts';
import { type Delivery, deliver } from '../../fieldCases/delivery.mts';
import type { Options, Seen } from '../../fieldCases/outcome.mts';
import { fieldCases } from '../../fieldCases/suite.mts';
import { publish } from './published.mts';

interface CallStart {
	request: Delivery;
}

/** In the whole n8n: its parser may answer before the node is asked. */
export function fieldCallStartsSuite(getStack: () => Stack): void {
	const callStart = async (
		_t: unknown,
		{ request }: CallStart,
		options: Options,
	): Promise<Seen> => {
		const recording = { recordCall: true, recordCallFormat: 'wav' };
		const parameters = { authentication: 'none', ...recording, options };
		const { url } = await publish(getStack(), parameters);
		const { isRefused, text } = await deliver(url, request);
		const { Service_Instructions: block } = answerIn(text);
		const instructions = block?.recordCall === true && block.recordCallFormat === 'wav';
		return { instructions, refusal: isRefused ? text : undefined };
	};
	const request = {
		headers: { 'content-type': 'application/json' },
		json: { event: 'CallStart', sessionGuid: '5b27f0c4-93d8-4e1a-8f60-c2d4a9e71b22' },
	};
	fieldCases(
		'call-start',
		[
			{
				input: { request },
				holds: { instructions: true },
				doesNotHold: { refused: '.' },
			},
		],
		callStart,
	);
}

/** `{}` if n8n has answered in its own words. */
function answerIn(text: string): { Service_Instructions?: Record<string, unknown> } {
	try {
		return JSON.parse(text) as object;
	} catch {
		return {};
	}
}
