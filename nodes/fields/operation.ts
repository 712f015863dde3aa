import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { checkedValue } from './checkedValue';
import type { Field, ValuesOf } from './field';

interface OperationDefinition<Fields extends readonly Field[]> {
	/** Label in the menu, in Title Case. */
	name: string;
	value: string;
	/** Label in the node creator, in sentence case. */
	action: string;
	description: string;
	fields: Fields;
	/** Operations that dial or send do one item after the other, so that a failure stops the rest. Default: false. */
	oneAtATime?: boolean;
	execute(
		this: IExecuteFunctions,
		values: ValuesOf<Fields>,
		itemIndex: number,
	): Promise<INodeExecutionData[]>;
}

export interface Operation {
	menuEntry: INodePropertyOptions;
	fields: readonly Field[];
	oneAtATime: boolean;
	/** Reads the parameters of one item and does the work for it. */
	run(context: IExecuteFunctions, itemIndex: number): Promise<INodeExecutionData[]>;
}

/** The one abstraction of this node: menu entry, fields and behaviour of an operation in one literal. */
export function operation<const Fields extends readonly Field[]>(
	definition: OperationDefinition<Fields>,
): Operation {
	const { name, value, action, description, fields, oneAtATime = false, execute } = definition;
	return {
		menuEntry: { name, value, action, description },
		fields,
		oneAtATime,
		run: async (context, itemIndex) =>
			await execute.call(context, readValues(context, fields, itemIndex), itemIndex),
	};
}

/** @throws VoiceAgentError `invalidParameter` for a field that is shown, see {@link checkedValue} */
function readValues<Fields extends readonly Field[]>(
	context: IExecuteFunctions,
	fields: Fields,
	itemIndex: number,
): ValuesOf<Fields> {
	const values: Record<string, unknown> = {};
	for (const field of fields) {
		// Without a fallback, n8n throws for a field that is hidden.
		const value = context.getNodeParameter(field.name, itemIndex, field.default as string, {
			extractValue: field.type === 'resourceLocator',
		});
		// What an expression has hidden does not matter. The fields that decide on it come before it.
		const conditions = Object.entries(field.displayOptions?.show ?? {});
		const isShown = conditions.every(([name, wanted]) =>
			wanted?.some((one) => one === values[name]),
		);
		values[field.name] = isShown ? checkedValue(field, value) : value;
	}
	return values as ValuesOf<Fields>;
}

export interface Resource {
	name: string;
	value: string;
	description: string;
	/** In the order of the menu. */
	operations: readonly Operation[];
	/** Value of the operation that is selected first. */
	defaultOperation: string;
}

/** The parameters of a resource: its menu of operations, then the fields of each, shown where they belong. */
export function propertiesOf({ value, operations, defaultOperation }: Resource): INodeProperties[] {
	const menu: INodeProperties = {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options: operations.map(({ menuEntry }) => menuEntry),
		default: defaultOperation,
	};
	const fields = operations.flatMap((operation) =>
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
export function itemOf(
	itemIndex: number,
	json: IDataObject,
	binary?: INodeExecutionData['binary'],
): INodeExecutionData {
	return { json, ...(binary && { binary }), pairedItem: { item: itemIndex } };
}
