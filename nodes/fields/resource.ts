import type {
	ICredentialsDisplayOptions,
	INodeCredentialDescription,
	INodeProperties,
} from 'n8n-workflow';

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
	return descriptions.map((description) => {
		const displayOptions = displayOptionsOf(description, resources);
		return { ...description, displayOptions };
	});
}

function displayOptionsOf(
	{ name, required }: INodeCredentialDescription,
	resources: readonly Resource[],
): ICredentialsDisplayOptions {
	const operations = resources.flatMap((resource) =>
		resource.operations.map(({ menuEntry, credentials }) => ({
			resource: resource.value,
			operation: menuEntry.value,
			use: credentials.find((credential) => credential.name === name),
		})),
	);
	const users = operations.filter(({ use }) => use);
	const others = operations.filter(({ use }) => !use);
	const hide = Object.fromEntries(users.flatMap(({ use }) => Object.entries(use?.hide ?? {})));
	const distinct = <T>(values: T[]) => [...new Set(values)];
	// Before a resource and an operation are known, n8n asks for a required credential, but not for an optional one.
	return required
		? { hide: { operation: others.map(({ operation }) => operation), ...hide } }
		: {
				show: {
					resource: distinct(users.map(({ resource }) => resource)),
					operation: distinct(users.map(({ operation }) => operation)),
				},
				hide,
			};
}
