import { describeNodeTypes, type NodeDescription } from './nodeTypes.mts';
import type { RestClient } from './rest.mts';
import type { StoredWorkflow, WorkflowNode } from './workflow.mts';

interface Webhook {
	/** Name of the node. */
	node: string;
	method: string;
	path: string;
}

/** The webhooks of a stored workflow. */
export async function webhooksOf(client: RestClient, workflow: StoredWorkflow): Promise<Webhook[]> {
	const nodes = workflow.nodes.filter(({ disabled }) => !disabled);
	const descriptions = await describeNodeTypes(client, nodes);
	return nodes.flatMap((node, index) => {
		const { properties = [], webhooks = [] } = descriptions[index] ?? {};
		const value = (text: string) => parameterValue(text, node, properties);
		return webhooks
			.filter(({ restartWebhook }) => !restartWebhook)
			.map(({ httpMethod, path, isFullPath }) => ({
				node: node.name,
				method: value(httpMethod),
				path: webhookPath(workflow.id, node, value(path), isFullPath),
			}));
	});
}

/** Reads `={{$parameter["name"]}}`, the expression in which descriptions refer to a parameter. */
function parameterValue(
	text: string,
	node: WorkflowNode,
	properties: NodeDescription['properties'],
): string {
	const [, name] = /^=\{\{\s*\$parameter\["(\w+)"\]/.exec(text) ?? [];
	if (name === undefined) return text;
	const declared = properties.find((property) => property.name === name);
	const options = node.parameters.options as Record<string, unknown> | undefined;
	return String(node.parameters[name] ?? options?.[name] ?? declared?.default ?? '');
}

/** As `getNodeWebhookPath()` of n8n-workflow composes it. */
function webhookPath(
	workflowId: string,
	node: WorkflowNode,
	path: string,
	isFullPath = false,
): string {
	if (node.webhookId === undefined) {
		return `${workflowId}/${encodeURIComponent(node.name.toLowerCase())}/${path}`;
	}
	if (isFullPath) return path || node.webhookId;
	return `${node.webhookId}/${path}`;
}
