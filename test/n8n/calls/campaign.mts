/** A campaign with tables and a service of its own. */
import type { TestContext } from 'node:test';

import type { Emulator } from '../../../emulator/src/index.mts';
import type { DataTable, Execution, N8n, Row, Workflow } from '../../../harness/n8n/n8n.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { until } from '../../../harness/until.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { executionIds, succeeded } from '../suite.mts';

export const TABLE = 'VoiceAgent campaign';
export const DO_NOT_CALL = 'VoiceAgent do not call';
export const CHECK = 'Check the numbers';
const TRIGGER = 'Every 20 seconds';

export class Campaign {
	readonly #getN8n: () => N8n;
	stack!: Stack;
	#published = false;
	id = '';

	constructor(getN8n: () => N8n) {
		this.#getN8n = getN8n;
	}

	get n8n(): N8n {
		return this.#getN8n();
	}

	get control(): Emulator['control'] {
		return this.stack.emulator.control;
	}

	/** Numbers that were dialed, oldest first. */
	get dialed(): string[] {
		return this.control.calls().map(({ to }) => to);
	}

	/**
	 * Imports the workflow as its user does, and lets it create its tables. It calls at any time,
	 * every two seconds.
	 *
	 * @param change what else the user does to the workflow
	 */
	async setUp(
		t: TestContext,
		rows: Row[],
		{ hours = '00:00-24:00', change = () => {} }: Options = {},
	): Promise<this> {
		this.stack = await addService(this.n8n, { callSpeed: 1000 });
		t.after(async () => {
			await this.unpublish();
			await this.stack.stop();
			for (const name of [TABLE, DO_NOT_CALL]) await (await this.n8n.dataTable(name))?.remove();
		});
		const workflow = readWorkflow('call-campaign');
		nodeOf(workflow, TRIGGER).parameters.rule = {
			interval: [{ field: 'seconds', secondsInterval: 2 }],
		};
		(nodeOf(workflow, CHECK).parameters.options as { callingHours: string }).callingHours = hours;
		// The tables are there once the workflow was executed.
		const first = await this.n8n.importWorkflow(workflow, this.stack.credentials);
		succeeded(await this.n8n.run(first, { trigger: TRIGGER }));
		change(workflow);
		this.id = await this.n8n.importWorkflow(workflow, this.stack.credentials);
		await (await this.table(TABLE)).insert(...rows);
		return this;
	}

	async table(name: string): Promise<DataTable> {
		const table = await this.n8n.dataTable(name);
		if (table === undefined) throw new Error(`There is no data table "${name}".`);
		return table;
	}

	async rows(): Promise<Row[]> {
		return await (await this.table(TABLE)).rows();
	}

	async doNotCall(...numbers: string[]): Promise<void> {
		await (await this.table(DO_NOT_CALL)).insert(...numbers.map((number) => ({ number })));
	}

	async publish(): Promise<void> {
		await this.n8n.activate(this.id);
		this.#published = true;
	}

	/** Waits until no execution is running, too. */
	async unpublish(): Promise<void> {
		if (!this.#published) return;
		await this.n8n.deactivate(this.id);
		this.#published = false;
		await until(async () => (await this.executions(['new', 'running'])).length === 0);
	}

	/** Lets it run until each row has a status. */
	async finish(): Promise<Row[]> {
		await this.publish();
		await until(async () => (await this.rows()).every(({ status }) => status !== null));
		await this.unpublish();
		return await this.rows();
	}

	/** The ids of executions, the newest first. */
	async executions(status?: string[]): Promise<string[]> {
		return await executionIds(this.n8n, { workflowId: this.id, status });
	}

	/** One execution by hand. */
	async preview(): Promise<Execution> {
		return await this.n8n.run(this.id, { trigger: TRIGGER });
	}
}

interface Options {
	/** When it calls. */
	hours?: string;
	change?: (workflow: Workflow) => void;
}
