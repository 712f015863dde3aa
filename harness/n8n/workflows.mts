import type { Credential } from './credentials.mts';
import { isOtherVersion } from './installation.mts';
import { describeNodeTypes } from './nodeTypes.mts';
import type { RestClient } from './rest.mts';
import { webhooksOf } from './webhooks.mts';
import type { StoredWorkflow, Workflow } from './workflow.mts';

const PUBLICATION_TIMEOUT_MS = 180_000;

interface PublicationStatus {
	status: 'in_progress' | 'published' | 'partial' | 'failed' | 'not_published';
	triggers: { errorMessage: string | null }[];
}

/** Every node gets the credentials of the types that it names or declares. */
export async function importWorkflow(
	client: RestClient,
	workflow: Workflow,
	credentials: Record<string, Credential>,
): Promise<string> {
	const descriptions = await describeNodeTypes(client, workflow.nodes);
	const nodes = workflow.nodes.map((node, index) => {
		const declared = descriptions[index]?.credentials?.map(({ name }) => name) ?? [];
		const { nodeCredentialType, genericAuthType } = node.parameters;
		const wanted = [
			...Object.keys(node.credentials ?? {}),
			...declared,
			String(nodeCredentialType),
			String(genericAuthType),
		];
		const given = wanted.flatMap((type) => {
			const credential = credentials[type];
			return credential === undefined ? [] : [[type, credential]];
		});
		return { ...node, credentials: { ...node.credentials, ...Object.fromEntries(given) } };
	});
	const { id } = await client.request<{ id: string }>('POST', '/rest/workflows', {
		name: workflow.name ?? 'Test workflow',
		nodes,
		connections: workflow.connections,
		// The editor sets it in every new workflow. Without it, n8n runs nodes in the order of its
		// first versions.
		settings: { executionOrder: 'v1', ...workflow.settings },
		pinData: workflow.pinData ?? {},
	});
	return id;
}

export async function readWorkflow(client: RestClient, id: string): Promise<StoredWorkflow> {
	return await client.request('GET', `/rest/workflows/${id}`);
}

/** Older versions of n8n do not know that address. */
const isMissing = (error: unknown) => isOtherVersion && / answered 404 /.test(String(error));

/** Publishing goes on after n8n has answered. */
async function published(client: RestClient, id: string): Promise<void> {
	const publication = await client.process
		.waitFor(`publish workflow ${id}`, PUBLICATION_TIMEOUT_MS, async () => {
			const path = `/rest/workflows/${id}/publication-status`;
			const current = await client.request<PublicationStatus>('GET', path);
			return ['in_progress', 'not_published'].includes(current.status) ? undefined : current;
		})
		.catch((error: unknown) => {
			if (!isMissing(error)) throw error;
		});
	if (publication === undefined || publication.status === 'published') return;
	const reasons = publication.triggers.map(({ errorMessage }) => errorMessage).filter(Boolean);
	throw new Error(`n8n could not publish workflow ${id}: ${reasons.join('; ')}`);
}

/** Publishes a workflow and waits until its triggers run and its webhooks are known. */
export async function publish(client: RestClient, id: string): Promise<void> {
	const workflow = await readWorkflow(client, id);
	const version = { versionId: workflow.versionId, name: '', description: '' };
	await client.request('POST', `/rest/workflows/${id}/activate`, version);
	await published(client, id);
	for (const webhook of await webhooksOf(client, workflow)) {
		await client.process.waitFor(
			`register the webhook ${webhook.method} ${webhook.path}`,
			PUBLICATION_TIMEOUT_MS,
			async () =>
				(await client.request<object | null>('POST', '/rest/webhooks/find', webhook)) ?? undefined,
		);
	}
}
