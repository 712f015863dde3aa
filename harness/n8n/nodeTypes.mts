import type { RestClient } from './rest.mts';

export interface NodeDescription {
	displayName: string;
	properties: { name: string; default?: unknown }[];
	credentials?: { name: string }[];
	webhooks?: { httpMethod: string; path: string; isFullPath?: boolean; restartWebhook?: boolean }[];
}

/**
 * What n8n knows about the types of nodes, in the same order.
 *
 * @throws {Error} for a type that n8n does not know
 */
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
		// n8n does not describe the tools that it derives from nodes, but the nodes themselves.
		return await describe((type) => type.replace(/(?:Hitl)?Tool$/, ''));
	});
}
