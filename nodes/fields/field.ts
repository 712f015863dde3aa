import type { INodeProperties } from 'n8n-workflow';

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** A parameter as a literal: `{ … } as const satisfies Field`. The type of its value follows from it. */
export type Field = DeepReadonly<INodeProperties>;

/** What a user adds to a node if it is needed. */
export function optionsField<const Options extends readonly Field[]>(options: Options) {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		placeholder: 'Add option',
		options,
	} as const;
}

export type ValueOf<F> = F extends { type: 'boolean' }
	? boolean
	: F extends { type: 'number' }
		? number
		: F extends { type: 'json' }
			? unknown
			: F extends { type: 'resourceMapper' }
				? { value: Record<string, unknown> | null }
				: F extends { type: 'options'; options: ReadonlyArray<infer Option> }
					? Option extends { value: infer Value }
						? Value
						: never
					: F extends { type: 'collection'; options: ReadonlyArray<infer Member> }
						? { [M in Member as NameOf<M>]?: ValueOf<M> }
						: F extends { type: 'fixedCollection'; options: ReadonlyArray<infer Group> }
							? { [G in Group as NameOf<G>]?: Array<ValuesOfGroup<G>> }
							: string;
type NameOf<F> = F extends { name: infer Name extends string } ? Name : never;
type ValuesOfGroup<G> = G extends { values: ReadonlyArray<infer Member> }
	? { [M in Member as NameOf<M>]: ValueOf<M> }
	: never;

/** The values of all fields of an operation, by name. */
export type ValuesOf<Fields extends readonly Field[]> = {
	[F in Fields[number] as NameOf<F>]: ValueOf<F>;
};
