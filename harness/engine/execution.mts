/** One execution in n8n's engine, recorded as n8n records it. */
import type {
	ICredentialsHelper,
	INode,
	IRun,
	IWorkflowExecuteAdditionalData,
	WorkflowParameters,
} from 'n8n-workflow';
import { Execution, type ExecutionStatus } from '../n8n/execution.mts';
import type { Credential, Workflow } from '../n8n/n8n.mts';
import { START } from '../nodeRun.mts';
import type { Modules } from './modules.mts';
import type { LoadedPackage } from './nodeTypes.mts';

/** Only for the addresses that n8n shows to expressions; nothing listens there. */
const BASE_URL = 'http://127.0.0.1:5678/';
let executions = 0;

/** Runs a workflow by hand, from its first node. A run that fails is returned, not thrown. */
export async function runWorkflow(
	modules: Modules,
	ours: LoadedPackage,
	credentialsHelper: ICredentialsHelper,
	workflow: Workflow,
	credentials: Record<string, Credential>,
): Promise<Execution> {
	const { core, workflow: n8nWorkflow, stringify } = modules;
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
	const loaded = new n8nWorkflow.Workflow(parameters);
	const hooks = new core.ExecutionLifecycleHooks('manual', executionId, parameters as never);
	const additionalData = {
		currentNodeExecutionIndex: 0,
		credentialsHelper,
		restApiUrl: `${BASE_URL}rest`,
		instanceBaseUrl: BASE_URL,
		formWaitingBaseUrl: `${BASE_URL}form-waiting`,
		webhookBaseUrl: `${BASE_URL}webhook`,
		webhookWaitingBaseUrl: `${BASE_URL}webhook-waiting`,
		variables: {},
		externalSecretsProxy: modules.service(core.ExternalSecretsProxy),
		executionId,
		workflowId: parameters.id,
		workflowSettings: parameters.settings,
		hooks,
		setExecutionStatus: () => undefined,
		sendDataToUI: () => undefined,
		logAiEvent: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
	const run = await new core.WorkflowExecute(additionalData, 'manual').run({
		workflow: loaded,
		startNode: loaded.getNode(START) ?? undefined,
		pinData: parameters.pinData,
	});
	return new Execution({
		id: executionId,
		workflowId: parameters.id,
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
