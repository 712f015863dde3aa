import type { INodeProperties } from 'n8n-workflow';

import type { Operation } from './operation';

export interface ResourceDescription {
	name: string;
	value: string;
	description: string;
	/** Value of the operation that is selected first. */
	defaultOperation: string;
}

export interface Resource extends ResourceDescription {
	/** In the order of the menu. */
	operations: readonly Operation[];
}

/**
 * A resource from the exports of its folder: its description as `resource`, and its operations under any names.
 * The menu is in alphabetical order, as n8n wants it.
 */
export function resourceOf(folder: {
	resource: ResourceDescription;
	[operation: string]: ResourceDescription | Operation;
}): Resource {
	const operations = Object.values(folder)
		.filter((one): one is Operation => 'menuEntry' in one)
		.sort((a, b) => a.menuEntry.name.localeCompare(b.menuEntry.name));
	return { ...folder.resource, operations };
}

/** The parameters of a resource: its menu of operations, then the fields of each, shown for their operation only. */
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
