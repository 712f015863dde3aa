import type { OutgoingHttpHeaders } from 'node:http';
import { type Static, type TLiteral, type TObject, type TProperties, Type } from 'typebox';
import { strict } from '../schema.mts';

/** What a fault may look at when it makes up a reply. */
export interface FaultContext {
	/** Node's flat list of the headers that the client sent. */
	rawHeaders: readonly string[];
	/** Emulator time in milliseconds since 1970-01-01 UTC. */
	now: number;
	/** Status for an unknown session GUID, as the profile has it. */
	unknownGuidStatus: number;
}

/** A reply that replaces the true one. */
export interface Replacement {
	status: number;
	headers: Record<string, string>;
	body: string;
	/** Text after the status number. */
	reason?: string;
}

/** What a client can get in place of a reply. */
export type NoReply = 'close' | 'reset' | 'silence';

/** A body on its way. */
export type Chunks = AsyncIterable<Uint8Array>;

/** The reply that Fastify was about to send. */
export interface TrueReply {
	headers: OutgoingHttpHeaders;
	body: Chunks;
	/** Undefined when nobody knows it in advance. */
	length: number | undefined;
	/** Aborts when the client is gone. */
	signal: AbortSignal;
}

/** A reply that is written past Fastify, which would repair it. */
export interface Spoiled {
	headers: OutgoingHttpHeaders;
	body: Chunks;
	/** Length to announce, 'chunked', or 'close' if only the end of the connection ends the body. */
	framing: number | 'chunked' | 'close';
	/** What follows the body: a proper end, a cut connection, or nothing ever again. */
	ending: 'end' | 'cut' | 'silence';
}

/**
 * What a fault does. Exactly one of `replace`, `spoil`, `setHeaders` and `delayMs` says it; a fault
 * with both of the first two has `needsReply`, which decides between them.
 */
export interface Behavior<F> {
	/** Says something else, closes or resets the connection, or says nothing. Needs no true reply. */
	replace?(fault: F, context: FaultContext): Replacement | NoReply;
	/** Damages the true reply on its way. */
	spoil?(fault: F, reply: TrueReply): Spoiled;
	/** Headers to set on the true reply, by name; null takes one away. */
	setHeaders?(fault: F): Readonly<Record<string, string | null>>;
	/** Pause before the true reply. */
	delayMs?(fault: F): number;
	/** Whether the request is carried out, so that there is a true reply to spoil. */
	needsReply?(fault: F): boolean;
	/** How long the fault lasts from when it was added; until then it hits every request. */
	lastsMs?(fault: F): number;
}

type FaultSchema<K extends string, P extends TProperties> = TObject<{ kind: TLiteral<K> } & P>;

/** One kind of fault with everything that is known about it. */
export interface FaultKind<K extends string, P extends TProperties>
	extends Behavior<Static<FaultSchema<K, P>>> {
	kind: K;
	schema: FaultSchema<K, P>;
}

/**
 * Defines a fault. The fields and their descriptions become its schema, its part of the OpenAPI
 * document and its rows in FAULTS.md.
 */
export function faultKind<const K extends string, P extends TProperties>({
	kind,
	description,
	fields,
	...behavior
}: { kind: K; description: string; fields: P } & Behavior<Static<FaultSchema<K, P>>>): FaultKind<
	K,
	P
> {
	const properties = { kind: Type.Literal(kind), ...fields };
	return { kind, schema: Type.Object(properties, { ...strict, description }), ...behavior };
}
