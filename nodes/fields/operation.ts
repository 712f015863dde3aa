import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { Field, ValuesOf } from './field';
import { checkedValues, enteredValues } from './values';

interface OperationDefinition<Fields extends readonly Field[]> {
	/** Label in the menu, in Title Case. */
	name: string;
	value: string;
	/** Label in the node creator, in sentence case. */
	action: string;
	description: string;
	/**
	 * Whether it asks the service or decrypts. Only then does the node show and demand a credential.
	 */
	usesAccount: boolean;
	fields: Fields;
	/**
	 * Operations that dial or send process one item after the other, so that a failure stops the
	 * rest. Default: false.
	 */
	oneAtATime?: boolean;
	execute(
		this: IExecuteFunctions,
		values: ValuesOf<Fields>,
		itemIndex: number,
		/** The values of another item, for an operation that looks at several together. */
		valuesAt: (itemIndex: number) => ValuesOf<Fields>,
	): Promise<INodeExecutionData[]>;
	/**
	 * Called once with the output of all items that have succeeded, also if another one fails. n8n
	 * does not have it yet: what this notes is noted before another node can act on it.
	 */
	afterItems?(this: IExecuteFunctions, output: readonly INodeExecutionData[]): Promise<void>;
}

export interface Operation {
	menuEntry: INodePropertyOptions;
	usesAccount: boolean;
	fields: readonly Field[];
	oneAtATime: boolean;
	/**
	 * Begins an execution of the node. The function that it returns processes one item. The
	 * parameters of each item are read once, although other items may look at them.
	 */
	begin(context: IExecuteFunctions): (itemIndex: number) => Promise<INodeExecutionData[]>;
	/** See {@link OperationDefinition}. */
	afterItems(context: IExecuteFunctions, output: readonly INodeExecutionData[]): Promise<void>;
}

export interface Resource {
	name: string;
	value: string;
	/** Value of the operation that is selected first. */
	defaultOperation: string;
	operations: readonly Operation[];
}

/**
 * The one abstraction of the node: menu entry, fields and behavior of an operation in one literal.
 */
export function operation<const Fields extends readonly Field[]>(
	definition: OperationDefinition<Fields>,
): Operation {
	const { name, value, action, description, usesAccount, fields, execute } = definition;
	return {
		menuEntry: { name, value, action, description },
		usesAccount,
		fields,
		oneAtATime: definition.oneAtATime ?? false,
		begin(context) {
			// Without a fallback, n8n throws for a hidden field.
			const entered = (index: number) =>
				enteredValues(fields, (field) =>
					context.getNodeParameter(field.name, index, fallbackOf(field) as string, {
						extractValue: field.type === 'resourceLocator',
					}),
				);
			const checked = new Map<number, ValuesOf<Fields>>();
			const valuesAt = (index: number) => {
				const values = checked.get(index) ?? checkedValues(fields, entered(index));
				checked.set(index, values);
				return values;
			};
			return async (index) => await execute.call(context, valuesAt(index), index, valuesAt);
		},
		afterItems: async (context, output) => await definition.afterItems?.call(context, output),
	};
}

/** What n8n returns for a hidden field. It would evaluate an expression, such as `$fromAI()`. */
function fallbackOf({ default: value }: Field): unknown {
	return JSON.stringify(value).includes('={{') ? null : value;
}

/**
 * The parameters of a resource: its menu of operations, in alphabetical order as n8n wants it, then
 * the fields of each, shown for their operation only.
 */
export function propertiesOf({ value, operations, defaultOperation }: Resource): INodeProperties[] {
	const sorted = [...operations].sort((a, b) => a.menuEntry.name.localeCompare(b.menuEntry.name));
	const menu: INodeProperties = {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: sorted.map(({ menuEntry }) => menuEntry),
		default: defaultOperation,
	};
	const fields = sorted.flatMap((operation) =>
		(operation.fields as readonly INodeProperties[]).map((field) => ({
			...field,
			displayOptions: {
				...field.displayOptions,
				show: {
					...field.displayOptions?.show,
					resource: [value],
					operation: [operation.menuEntry.value],
				},
			},
		})),
	);
	return [menu, ...fields];
}

/** An output item that belongs to one input item. */
export function outputItem(
	itemIndex: number,
	json: IDataObject,
	binary?: INodeExecutionData['binary'],
): INodeExecutionData {
	return { json, ...(binary && { binary }), pairedItem: { item: itemIndex } };
}
