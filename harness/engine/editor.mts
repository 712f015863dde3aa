/** What the editor asks a node for while its parameters are filled in, in n8n-core's own context. */
import type { INodeListSearchResult, ResourceMapperFields } from 'n8n-workflow';
import type { Loaded } from './execution.mts';
import type { Modules } from './modules.mts';
import { triggerOf } from './triggers.mts';

export type Editor = ReturnType<typeof editorOf>;

/** @param parameter the one that is filled in */
export function editorOf({ core }: Modules, loaded: Loaded, parameter: string) {
	const { node, type } = triggerOf(loaded);
	const context = () =>
		new core.LoadOptionsContext(
			loaded.workflow,
			node,
			{ ...loaded.additionalData, currentNodeParameters: node.parameters },
			`parameters.${parameter}`,
		);
	return {
		/** The choices of a list, of those that contain the filter. */
		async listSearch(
			method: string,
			filter?: string,
			paginationToken?: string,
		): Promise<INodeListSearchResult> {
			const search = type.methods?.listSearch?.[method];
			if (!search) throw new Error(`The node has no list ${method}.`);
			return await search.call(context(), filter, paginationToken);
		},
		/** The fields of a form. */
		async resourceMapping(method: string): Promise<ResourceMapperFields> {
			const map = type.methods?.resourceMapping?.[method];
			if (!map) throw new Error(`The node has no form ${method}.`);
			return await map.call(context());
		},
		/** The test of a credential of the node, with what is entered in it. */
		async testCredential(credentialType: string, data: Record<string, string>) {
			const { credentials = [] } = type.description;
			const { testedBy } = credentials.find(({ name }) => name === credentialType) ?? {};
			const test = type.methods?.credentialTest?.[String(testedBy)];
			if (!test) throw new Error(`The node has no test of ${credentialType}.`);
			const credential = { id: '', name: '', type: credentialType, data };
			return await test.call(new core.CredentialTestContext(loaded.additionalData), credential);
		},
	};
}
