import type { Refusal } from '../errors.mts';
import { mapLeaves } from './likeExample.mts';
import type { Errors } from './schema.mts';

/** An answer as a profile shows it, with what belongs to this emulator in it. */
export interface ProfiledReply {
	status: number;
	headers: Record<string, string | string[]>;
	/** Text of the body; `undefined` if there is none. */
	body: string | undefined;
}

/** Writes a refusal in the form of the errors of a profile. */
export function errorLike({ headers = {}, json, text }: Errors, refusal: Refusal): ProfiledReply {
	const { status, code, message, fields } = refusal;
	const values: Record<string, unknown> = {
		...{ code, message, status },
		fields: fields?.length ? [...fields] : undefined,
	};
	const write = (example: string) =>
		example.replace(/\{(code|message|status)\}/g, (_all, name: string) => String(values[name]));
	const written = mapLeaves(json, (_path, example) => {
		if (typeof example !== 'string') return example;
		const name = /^\{(\w+)\}$/.exec(example)?.[1];
		return name !== undefined && name in values ? values[name] : write(example);
	});
	const body = written === undefined ? write(text ?? '') : JSON.stringify(written);
	return { status, headers: { ...headers }, body };
}
