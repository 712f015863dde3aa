import type { LoadedNode } from './communityPackage.mts';
import type { RestClient } from './rest.mts';

export interface NodeDescription {
	displayName: string;
	properties: { name: string; default?: unknown }[];
	credentials?: { name: string }[];
	webhooks?: { httpMethod: string; path: string; isFullPath?: boolean; restartWebhook?: boolean }[];
}

interface NodeType {
	name: string;
	version: number | number[];
}

/** What n8n knows about the types of nodes, in the same order. A type that it does not know throws. */
export async function describeNodeTypes(
	client: RestClient,
	nodes: { type: string; typeVersion: number }[],
): Promise<NodeDescription[]> {
	const describe = async (nameOf: (type: string) => string) =>
		await client.request<NodeDescription[]>('POST', '/rest/node-types', {
			nodeInfos: nodes.map(({ type, typeVersion }) => ({
				name: nameOf(type),
				version: typeVersion,
			})),
		});
	const derived = nodes.map(({ type }) => type).filter((type) => type.endsWith('Tool'));
	return await describe((type) => type).catch(async (error: unknown) => {
		if (derived.length === 0) throw error;
		// n8n does not describe the tools that it derives from nodes, but they are like the nodes themselves.
		return await describe((type) => type.replace(/(?:Hitl)?Tool$/, ''));
	});
}

/** The nodes of a package, without the tool variants that n8n derives from them. */
export async function loadedNodes(client: RestClient, packageName: string): Promise<LoadedNode[]> {
	const response = await client.fetch('GET', '/types/nodes.json');
	const versions = new Map<string, number>();
	for (const { name, version } of (await response.json()) as NodeType[]) {
		if (!name.startsWith(`${packageName}.`)) continue;
		versions.set(name, Math.max(versions.get(name) ?? 0, ...[version].flat()));
	}
	const nodes = [...versions].filter(
		([type]) => !(type.endsWith('Tool') && versions.has(type.slice(0, -'Tool'.length))),
	);
	const descriptions = await describeNodeTypes(
		client,
		nodes.map(([type, typeVersion]) => ({ type, typeVersion })),
	);
	return nodes.map(([type, version], index) => ({
		type,
		version,
		displayName: descriptions[index]?.displayName ?? type,
	}));
}
