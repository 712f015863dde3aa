import { Value } from 'typebox/value';
import { isDeeperThan, MAX_DEPTH } from '../validation.mts';
import { ServiceInstructions, type UnderstoodInstructions } from './schemas.mts';

/** What the service does with a call. The password must not appear in logs or records. */
export interface Instructions {
	understood: UnderstoodInstructions;
	password: string | null;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A call that goes on without being recorded, and why. */
export function unrecorded(
	source: UnderstoodInstructions['source'],
	...problems: string[]
): Instructions {
	return {
		understood: {
			source,
			record: false,
			format: 'opus',
			encrypted: false,
			maxSeconds: null,
			problems,
		},
		password: null,
	};
}

/**
 * Reads a `Service_Instructions` block (service specification, Instructions block). If a field has
 * a wrong type or the format is unknown, the call goes on unrecorded and `problems` names the
 * fields. Values never appear in `problems`.
 */
export function parseInstructions(
	block: unknown,
	source: UnderstoodInstructions['source'],
): Instructions {
	if (!isObject(block)) return unrecorded(source, 'Service_Instructions is not an object');
	if (isDeeperThan(block)) {
		return unrecorded(source, `Service_Instructions is nested deeper than ${MAX_DEPTH} levels`);
	}
	if (!Value.Check(ServiceInstructions, block)) {
		const expected: Record<string, string> = {
			aiUrl: 'an object',
			maxSeconds: 'a number above 0',
			defaultToolsUrlBase: 'an object',
			recordCall: 'true or false',
			recordCallFormat: 'opus, mp3 or wav',
			recordCallPassword: 'a string',
		};
		const wrong = Object.entries(ServiceInstructions.properties)
			.filter(([name, schema]) => name in block && !Value.Check(schema, block[name]))
			.map(([name]) => `${name} is not ${expected[name] ?? 'as specified'}`);
		return unrecorded(source, ...wrong);
	}
	const record = block.recordCall === true;
	const password = record ? (block.recordCallPassword ?? null) : null;
	return {
		understood: {
			source,
			record,
			format: block.recordCallFormat ?? 'opus',
			encrypted: password !== null,
			maxSeconds: block.maxSeconds ?? null,
			problems: [],
		},
		password,
	};
}

/** Reads the body of a CallStart reply, which has to be JSON with `Service_Instructions`. */
export function parseCallStartReply(body: string): Instructions {
	let reply: unknown;
	try {
		reply = JSON.parse(body);
	} catch {
		return unrecorded('reply', 'the reply is not JSON');
	}
	if (!isObject(reply)) return unrecorded('reply', 'the reply is not a JSON object');
	if (!Object.hasOwn(reply, 'Service_Instructions')) {
		return unrecorded('reply', 'the reply has no Service_Instructions');
	}
	return parseInstructions(reply['Service_Instructions'], 'reply');
}
