import type { INode } from 'n8n-workflow';

/**
 * Whether a node is a tool of an AI agent or of an MCP server. n8n names the type of such a node after
 * ours. Its own `isToolExecution()` is false in version 3 of the AI Agent, which runs tools as nodes.
 */
export function isToolNode({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}
