/** What the editor asks a node for while you fill in its parameters, in n8n-core's own context. */
import type {
	INodeListSearchResult,
	INodePropertyOptions,
	ResourceMapperFields,
} from 'n8n-workflow';
import type { CredentialTest } from '../n8n/credentials.mts';
import type { Loaded } from './execution.mts';
import type { Modules } from './modules.mts';
import { triggerOf } from './triggers.mts';

export interface Editor {
	/** The choices of a list, of those that contain the filter. */
	listSearch(
		method: string,
		filter?: string,
		paginationToken?: string,
	): Promise<INodeListSearchResult>;
	/** The choices of a list that is loaded as soon as it appears. */
	loadOptions(method: string): Promise<INodePropertyOptions[]>;
	/** The fields of a form. */
	resourceMapping(method: string): Promise<ResourceMapperFields>;
	/** Tests a credential of the node, with these values in its form. */
	testCredential(type: string, data: Record<string, string | boolean>): Promise<CredentialTest>;
}

/** @param parameter the one that is filled in */
export function editorOf({ core }: Modules, loaded: Loaded, parameter: string): Editor {
	const { node, type } = triggerOf(loaded);
	const context = () =>
		new core.LoadOptionsContext(
			loaded.workflow,
			node,
			{ ...loaded.additionalData, currentNodeParameters: node.parameters },
			`parameters.${parameter}`,
		);
	return {
		async listSearch(method, filter, paginationToken) {
			const search = type.methods?.listSearch?.[method];
			if (!search) throw new Error(`The node has no list ${method}.`);
			return await search.call(context(), filter, paginationToken);
		},
		async loadOptions(method) {
			const load = type.methods?.loadOptions?.[method];
			if (!load) throw new Error(`The node has no choices ${method}.`);
			return await load.call(context());
		},
		async resourceMapping(method) {
			const map = type.methods?.resourceMapping?.[method];
			if (!map) throw new Error(`The node has no form ${method}.`);
			return await map.call(context());
		},
		async testCredential(credentialType, data) {
			const { credentials = [] } = type.description;
			const { testedBy } = credentials.find(({ name }) => name === credentialType) ?? {};
			const test = type.methods?.credentialTest?.[String(testedBy)];
			if (!test) throw new Error(`The node has no test of ${credentialType}.`);
			const credential = { id: '', name: '', type: credentialType, data };
			return await test.call(new core.CredentialTestContext(loaded.additionalData), credential);
		},
	};
}
