/**
 * What the ports of n8n's lint rules share. Each file beside this one is one rule, written from its
 * document in n8n's public repository:
 * `packages/@n8n/eslint-plugin-community-nodes/docs/rules/<name>.md` at the commit that it names.
 */
import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

export interface PortedRule<Subject> {
	/** As in `@n8n/eslint-plugin-community-nodes`, whose next version replaces the port. */
	name: string;
	/** In the plugin's config `recommended`. Only errors keep a package from being verified. */
	level: 'error' | 'warn';
	/** Commit of n8n's repository that has the document. */
	document: string;
	/** What a reader of a failed test has to do. */
	demand: string;
	/** @returns one text for each place that breaks the rule */
	problems(subject: Subject): string[];
	/** Examples in the sense of the document. */
	correct: readonly Subject[];
	incorrect: readonly Subject[];
	/** Places of this package that stay as they are, and why. Only for warnings. */
	accepted?: ReadonlyMap<string, string>;
}

export interface SourceFile {
	path: string;
	text: string;
}

/** The parts of a node's description that rules look at. */
export type Description = Pick<INodeTypeDescription, 'name' | 'properties' | 'credentials'>;

/** The content of a `.node.json` file. */
export interface Codex {
	categories?: unknown;
	subcategories?: unknown;
}

/** A description for an example. */
export function nodeWith(...properties: INodeProperties[]): Description {
	return { name: 'example', properties };
}

/** A text field for an example. */
export function textField(more: Partial<INodeProperties>): INodeProperties {
	return { displayName: 'Query', name: 'query', type: 'string', default: '', ...more };
}

/** An `Additional Fields` collection for an example. */
export function additionalFields(...options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'collection',
		default: {},
		options,
	};
}

/** The parameters of a node, those inside of collections included. */
export function* parametersOf(properties: INodeProperties[]): Generator<INodeProperties> {
	for (const parameter of properties) {
		yield parameter;
		for (const option of parameter.options ?? []) {
			// A collection has parameters, a fixed collection has groups of parameters.
			if ('type' in option) yield* parametersOf([option]);
			if ('values' in option) yield* parametersOf(option.values);
		}
	}
}
