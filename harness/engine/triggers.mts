/** The triggers in n8n's engine. */
import type { TriggerContext } from 'n8n-core';
import type { IDataObject, INode, INodeExecutionData, INodeType, IRun } from 'n8n-workflow';
import { inARow } from '../flow.mts';
import type { Credential, WorkflowNode } from '../n8n/n8n.mts';
import type { Loaded } from './execution.mts';
import type { Modules } from './modules.mts';

export interface TriggerRun {
	parameters: Record<string, unknown>;
	/** Credentials by type; those of the engine by default. */
	credentials?: Record<string, Credential>;
}

/** An execution that the Recording Trigger has asked for. */
export interface Started {
	items: INodeExecutionData[];
	/** The de-duplication key. */
	key: string | undefined;
}

const TRIGGER = 'Trigger';

/** A workflow of this trigger only. */
export const alone = (trigger: WorkflowNode) => inARow(TRIGGER, [{ ...trigger, name: TRIGGER }]);

/** The one node of a workflow, and its type. */
export function triggerOf({ workflow }: Loaded): { node: INode; type: INodeType } {
	const node = workflow.getNode(TRIGGER);
	if (!node) throw new Error('The workflow has no trigger.');
	return { node, type: workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion) };
}

/** A VoiceAgent Recording Trigger: the test is its clock, and decides how its executions end. */
export class RecordingTrigger {
	readonly started: Started[] = [];
	/** What failed executions show that it has reported: the message, and what to do. */
	readonly failures: Array<{ message: string; description: string }> = [];
	/** Messages of errors that would end the trigger. */
	readonly errors: string[] = [];
	readonly #modules: Modules;
	readonly #loaded: Loaded;
	#tick: (scheduled: Date) => void = () => {};
	#minutes = 0;

	constructor(modules: Modules, loaded: Loaded) {
		this.#modules = modules;
		this.#loaded = loaded;
	}

	get nodeId(): string {
		return triggerOf(this.#loaded).node.id;
	}

	/** What it remembers. */
	get staticData(): IDataObject {
		return this.#loaded.workflow.getStaticData('global');
	}

	/** Another minute is over, for the schedule only. */
	tick(): void {
		this.#minutes += 1;
		const { now } = Date;
		Date.now = () => now() + this.#minutes * 60_000;
		this.#tick(new Date(Date.now()));
		Date.now = now;
	}

	/**
	 * Publishes the workflow: the first check begins.
	 *
	 * @param end how an execution ends: `undefined` if n8n has refused its key
	 */
	async publish(end: (started: Started) => Promise<IRun | undefined>): Promise<{
		expression: string;
		close(): Promise<void>;
	}> {
		let expression = '';
		const emit: TriggerContext['emit'] = (data, _response, done, key) => {
			const started = { items: data[0] ?? [], key };
			this.started.push(started);
			void end(started).then(
				(run) => done?.resolve(run as IRun),
				(error: Error) => done?.reject(error),
			);
		};
		const context = this.#context('trigger', emit, (cron, onTick) => {
			expression = cron.expression;
			this.#tick = onTick;
		});
		const response = await triggerOf(this.#loaded).type.trigger?.call(context);
		return { expression, close: async () => await response?.closeFunction?.() };
	}

	/** Runs it by hand. @returns its output items */
	async run(): Promise<INodeExecutionData[]> {
		let items: INodeExecutionData[] = [];
		const emit: TriggerContext['emit'] = ([output = []]) => {
			items = output;
		};
		const context = this.#context('manual', emit, () => {
			throw new Error('A run by hand has no schedule.');
		});
		const response = await triggerOf(this.#loaded).type.trigger?.call(context);
		await response?.manualTriggerFunction?.();
		return items;
	}

	#context(
		mode: 'manual' | 'trigger',
		emit: TriggerContext['emit'],
		registerCron: TriggerContext['helpers']['registerCron'],
	): TriggerContext {
		const { core } = this.#modules;
		const { workflow, additionalData } = this.#loaded;
		return new core.TriggerContext(
			workflow,
			triggerOf(this.#loaded).node,
			additionalData,
			mode,
			mode === 'manual' ? 'manual' : 'activate',
			emit,
			(error) => this.errors.push(error.message),
			({ message, description }) =>
				this.failures.push({ message, description: String(description) }),
			{ registerCron },
		);
	}
}
