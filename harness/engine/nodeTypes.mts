/** The node types that the engine knows: those of our build, and the one that a run begins with. */
import type { ICredentialType, INodeType, INodeTypes } from 'n8n-workflow';
import { packageFolder, type Modules } from './modules.mts';

export interface LoadedPackage {
	nodeTypes: INodeTypes;
	credentialType(name: string): ICredentialType;
}

/** Loads our package from its build, as n8n loads installed packages. */
export async function loadPackage({ core, workflow }: Modules): Promise<LoadedPackage> {
	const loader = new core.PackageDirectoryLoader(packageFolder);
	await loader.loadAll();

	function getByName(name: string) {
		if (name === manualTrigger.description.name) return manualTrigger;
		const [packageName, nodeName = ''] = name.split('.');
		if (packageName !== loader.packageName) {
			throw new Error(`The engine has no node ${name}: run this workflow in the whole n8n.`);
		}
		return loader.getNode(nodeName).type;
	}

	return {
		nodeTypes: {
			getByName,
			getByNameAndVersion: (name, version) =>
				workflow.NodeHelpers.getVersionedNodeType(getByName(name), version),
			getKnownTypes: () => ({}),
		},
		credentialType: (name) => loader.getCredential(name).type,
	};
}

/** Never runs: its output is always pinned. */
const manualTrigger: INodeType = {
	description: {
		displayName: 'Manual Trigger',
		name: 'n8n-nodes-base.manualTrigger',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: { name: 'Start' },
		inputs: [],
		outputs: ['main'],
		properties: [],
	},
};
