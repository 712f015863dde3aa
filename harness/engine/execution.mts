/** One execution in n8n's engine, recorded as n8n records it. */
import type {
	ICredentialsHelper,
	INode,
	IRun,
	IWorkflowExecuteAdditionalData,
	Workflow as WorkflowOfN8n,
	WorkflowParameters,
} from 'n8n-workflow';
import { Execution, type ExecutionStatus } from '../n8n/execution.mts';
import { fromN8n } from '../n8n/installation.mts';
import type { Credential, Workflow } from '../n8n/n8n.mts';
import { START } from '../nodeRun.mts';
import type { Modules } from './modules.mts';
import type { LoadedPackage } from './nodeTypes.mts';

/** Only for the addresses that n8n shows to expressions; nothing listens there. */
export const BASE_URL = 'http://127.0.0.1:5678/';
/** The form in which n8n stores executions. */
const { stringify } = fromN8n('flatted') as { stringify: (value: unknown) => string };
let executions = 0;

/** A workflow as n8n loads it, and what n8n gives to its nodes. */
export interface Loaded {
	workflow: WorkflowOfN8n;
	additionalData: IWorkflowExecuteAdditionalData;
	executionId: string;
}

export function loadWorkflow(
	{ core, workflow: n8nWorkflow, service }: Modules,
	ours: LoadedPackage,
	credentialsHelper: ICredentialsHelper,
	workflow: Workflow,
	credentials: Record<string, Credential>,
): Loaded {
	executions += 1;
	const executionId = String(executions);
	const parameters = {
		...workflow,
		id: `workflow-${executionId}`,
		active: false,
		nodes: workflow.nodes.map((node) =>
			withCredentials(node as unknown as INode, ours, credentials),
		),
		settings: { executionOrder: 'v1', ...workflow.settings },
		nodeTypes: ours.nodeTypes,
	} as WorkflowParameters & { id: string };
	const additionalData = {
		currentNodeExecutionIndex: 0,
		credentialsHelper,
		restApiUrl: `${BASE_URL}rest`,
		instanceBaseUrl: BASE_URL,
		formWaitingBaseUrl: `${BASE_URL}form-waiting`,
		webhookBaseUrl: `${BASE_URL}webhook`,
		webhookWaitingBaseUrl: `${BASE_URL}webhook-waiting`,
		variables: {},
		externalSecretsProxy: service(core.ExternalSecretsProxy),
		executionId,
		workflowId: parameters.id,
		workflowSettings: parameters.settings,
		hooks: new core.ExecutionLifecycleHooks('manual', executionId, parameters as never),
		setExecutionStatus: () => undefined,
		sendDataToUI: () => undefined,
		logAiEvent: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
	return { workflow: new n8nWorkflow.Workflow(parameters), additionalData, executionId };
}

/**
 * Runs a workflow by hand, from its first node. A run that fails is returned, not thrown.
 *
 * @param onResponse gets what the webhook that started the workflow would be answered
 */
export async function runWorkflow(
	modules: Modules,
	ours: LoadedPackage,
	credentialsHelper: ICredentialsHelper,
	workflow: Workflow,
	credentials: Record<string, Credential>,
	onResponse: (response: unknown) => void,
): Promise<Execution> {
	const { core } = modules;
	const loaded = loadWorkflow(modules, ours, credentialsHelper, workflow, credentials);
	loaded.additionalData.hooks?.addHandler('sendResponse', (response) => onResponse(response));
	const run = await new core.WorkflowExecute(loaded.additionalData, 'manual').run({
		workflow: loaded.workflow,
		startNode: loaded.workflow.getNode(START) ?? undefined,
		pinData: loaded.workflow.pinData,
	});
	return new Execution({
		id: loaded.executionId,
		workflowId: loaded.workflow.id,
		status: run.status as ExecutionStatus,
		mode: run.mode,
		startedAt: run.startedAt.toISOString(),
		stoppedAt: run.stoppedAt?.toISOString() ?? null,
		data: stringify(run.data satisfies IRun['data']),
	});
}

/** A node gets the credentials of the types that it declares. */
function withCredentials(
	node: INode,
	{ nodeTypes }: LoadedPackage,
	credentials: Record<string, Credential>,
): INode {
	const { description } = nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	const given = (description.credentials ?? []).flatMap(({ name }) => {
		const credential = credentials[name];
		return credential === undefined ? [] : [[name, credential]];
	});
	return { ...node, credentials: Object.fromEntries(given) as INode['credentials'] };
}
