/** The node types that the engine knows: those of our build, and the one that a run begins with. */
import type {
	ICredentialType,
	IDataObject,
	INodeExecutionData,
	INodeType,
	INodeTypes,
} from 'n8n-workflow';
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
		if (name.startsWith('n8n-nodes-base.')) return archiveNode(name);
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

const described = (displayName: string, name: string, group: 'output' | 'trigger') => ({
	...{ displayName, name, group: [group], version: 1, description: '', properties: [] },
	...{ defaults: { name: displayName }, inputs: ['main' as const], outputs: ['main' as const] },
});

/**
 * Stands in for an n8n node that talks to an archive. It outputs the answers that its parameter
 * has, or the files of its input, as if it had read them back.
 */
const archiveNode = (name: string): INodeType => ({
	description: {
		...described('Archive', name, 'output'),
		properties: [
			{ displayName: 'Resource', name: 'resource', type: 'string', default: '' },
			{ displayName: 'Operation', name: 'operation', type: 'string', default: '' },
			{ displayName: 'Answers', name: 'answers', type: 'json', default: [] },
		],
	},
	async execute() {
		const answers = this.getNodeParameter('answers', 0) as Array<{
			json: IDataObject;
			file?: string;
		}>;
		const output: INodeExecutionData[] = [];
		for (const [item] of (answers.length ? answers : this.getInputData()).entries()) {
			const { json = {}, file } = answers[item] ?? {};
			const content = answers[item]
				? file && Buffer.from(file)
				: await this.helpers.getBinaryDataBuffer(item, 'data');
			const data = content && (await this.helpers.prepareBinaryData(content, 'file', 'audio/wav'));
			output.push({ json, ...(data && { binary: { data } }), pairedItem: { item } });
		}
		return [output];
	},
});

/** Never runs: its output is always pinned. */
const manualTrigger: INodeType = {
	description: described('Start', 'n8n-nodes-base.manualTrigger', 'trigger'),
};
