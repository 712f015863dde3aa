/** A workflow as n8n exports it; other fields are ignored. */
export interface Workflow {
	name?: string;
	nodes: WorkflowNode[];
	connections: object;
	settings?: object;
	pinData?: object;
}

export interface WorkflowNode {
	name: string;
	type: string;
	typeVersion: number;
	parameters: Record<string, unknown>;
	disabled?: boolean;
	webhookId?: string;
	credentials?: Record<string, { id?: string | null; name?: string }>;
	[field: string]: unknown;
}

export interface StoredWorkflow extends Workflow {
	id: string;
	versionId: string;
}
