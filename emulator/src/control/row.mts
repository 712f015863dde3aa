import { types } from 'node:util';
import { type Static, type TSchema, Type } from 'typebox';
import { requireValid } from '../validation.mts';
import type { Parts } from './parts.mts';

/** What a control is asked to do: the parameters of the path and the body of the request. */
export interface ControlInput<P = unknown, B = unknown> {
	params: P;
	body: B;
	/** The bytes of a recording, which only the method takes as they are. */
	content?: Uint8Array | undefined;
}

/** One control, as an HTTP route below `/control` and as a method of `emulator.control`. */
export interface ControlRow<A extends unknown[] = unknown[], R = unknown> {
	method: 'GET' | 'PUT' | 'POST' | 'DELETE';
	path: string;
	summary: string;
	params?: TSchema | undefined;
	body?: TSchema | undefined;
	/** Room for a body that is larger than usual. */
	bodyLimitBytes?: number;
	reply: TSchema;
	/** Media type of the reply, unless it is JSON. */
	replyType?: string | undefined;
	/** Calls the control in the process. Refused input throws, or rejects if the control is async. */
	call(parts: Parts, ...args: A): R;
	/**
	 * Calls the control with the parts of a request.
	 *
	 * @returns the body of the reply
	 */
	answer(parts: Parts, input: ControlInput): Promise<unknown>;
}

const Ok = Type.Object({ ok: Type.Literal(true) });

/**
 * Defines a control. Input is checked here, so that HTTP and the method refuse it with the same
 * error.
 */
export function control<
	R,
	A extends unknown[] = [],
	P extends TSchema = TSchema,
	B extends TSchema = TSchema,
>({
	params,
	body,
	check = (value) => body && requireValid(body, value, 'body'),
	args,
	run,
	toReply = (result) => result,
	reply,
	...route
}: {
	method: ControlRow['method'];
	/** Below `/control`. */
	path: string;
	summary: string;
	params?: P;
	body?: B;
	bodyLimitBytes?: number;
	/** Checks the body, if its schema alone would not say clearly what is wrong. */
	check?(body: unknown): void;
	/** The arguments of the method in the process, and where a request carries them. */
	args?(...args: A): Partial<ControlInput<Static<P>, Static<B>>>;
	run(parts: Parts, input: ControlInput<Static<P>, Static<B>>): R;
	/** Schema of the reply over HTTP; `{ ok: true }` if there is nothing to say. */
	reply?: TSchema;
	replyType?: string;
	/** What HTTP says about the result, if that is not the result itself. */
	toReply?(result: Awaited<R>): unknown;
}): ControlRow<A, R> {
	function checked(input: Partial<ControlInput>): ControlInput<Static<P>, Static<B>> {
		if (params) requireValid(params, input.params, 'params');
		check(input.body);
		return input as ControlInput<Static<P>, Static<B>>;
	}
	const call = (parts: Parts, ...given: A) => run(parts, checked(args?.(...given) ?? {}));
	return {
		...route,
		params,
		body,
		reply: reply ?? Ok,
		// The caller of an async method expects a rejection, so refused input must not throw.
		call: types.isAsyncFunction(run) ? ((async (...all) => call(...all)) as typeof call) : call,
		async answer(parts, input) {
			const result = await run(parts, checked(input));
			return reply ? toReply(result) : { ok: true };
		},
	};
}
