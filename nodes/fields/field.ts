import type { INodeProperties } from 'n8n-workflow';

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/**
 * A parameter as a literal: `{ … } as const satisfies Field`. The type of its value follows from
 * it.
 */
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

/** The type of a value, by the type of its field. */
interface ValueTypes<F> {
	string: string;
	boolean: boolean;
	number: number;
	json: unknown;
	resourceMapper: { value: Record<string, unknown> | null };
	options: ChoiceOf<OptionOf<F>>;
	/** An optional value for each field that the user may add. */
	collection: { [Member in OptionOf<F> as NameOf<Member>]?: ValueOf<Member> };
	/** For each group, a list with the values of its fields. */
	fixedCollection: { [Group in OptionOf<F> as NameOf<Group>]?: Array<ValuesOfGroup<Group>> };
}

/** The value of a field. What n8n has types for beside {@link ValueTypes} is read as text. */
export type ValueOf<F> = F extends { type: infer Type extends keyof ValueTypes<F> }
	? ValueTypes<F>[Type]
	: string;

type OptionOf<F> = F extends { options: ReadonlyArray<infer Option> } ? Option : never;
type ChoiceOf<Option> = Option extends { value: infer Value } ? Value : never;
type NameOf<F> = F extends { name: infer Name extends string } ? Name : never;
type ValuesOfGroup<Group> = Group extends { values: ReadonlyArray<infer Member> }
	? { [M in Member as NameOf<M>]: ValueOf<M> }
	: never;

/** The values of all fields of an operation, by name. */
export type ValuesOf<Fields extends readonly Field[]> = {
	[F in Fields[number] as NameOf<F>]: ValueOf<F>;
};
