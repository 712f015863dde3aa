import type { INodeCredentialDescription, INodeProperties } from 'n8n-workflow';

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

/**
 * The credentials of a node, shown for the operations that name them.
 *
 * n8n looks only at the first entry of each name, so all operations share it. Its conditions cannot tell apart operations
 * that have the same value in two resources: both must use the same credentials.
 */
export function credentialsOf(
	resources: readonly Resource[],
	descriptions: readonly INodeCredentialDescription[],
): INodeCredentialDescription[] {
	const all = resources.flatMap(({ value: resource, operations }) =>
		operations.map(({ menuEntry, credentials }) => ({
			resource,
			operation: menuEntry.value,
			credentials,
		})),
	);
	return descriptions.map((description) => {
		const useIn = ({ credentials }: Pick<Operation, 'credentials'>) =>
			credentials.find(({ name }) => name === description.name);
		const users = all.filter(useIn);
		const hide = Object.fromEntries(
			users.flatMap((user) => Object.entries(useIn(user)?.hide ?? {})),
		);
		const others = all.filter((one) => !useIn(one)).map(({ operation }) => operation);
		const show = {
			resource: [...new Set(users.map(({ resource }) => resource))],
			operation: [...new Set(users.map(({ operation }) => operation))],
		};
		// Before a resource and an operation are known, n8n asks for a required credential, but not for an optional one.
		const displayOptions = description.required
			? { hide: { operation: others, ...hide } }
			: { show, hide };
		return { ...description, displayOptions };
	});
}
