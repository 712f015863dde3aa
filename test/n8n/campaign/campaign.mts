/** A campaign with tables, settings and a service of its own. */
import type { TestContext } from 'node:test';

import type { Emulator } from '../../../emulator/src/index.mts';
import type { DataTable, Execution, N8n, Row, Workflow } from '../../../harness/n8n/n8n.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { until } from '../../../harness/until.mts';
import { readWorkflow, withSettings } from '../../../harness/workflows.mts';
import { executionIds, succeeded } from '../suite.mts';

type Settings = Record<string, string | number | boolean>;

/** Calls at any time, and as many as there are. */
const ANY_TIME: Settings = {
	testRun: false,
	callFrom: '00:00',
	callUntil: '24:00',
	callDays: '1,2,3,4,5,6,7',
	callsPerMinute: 1000,
	callsAtOnce: 1000,
	doNotCallMayBeEmpty: true,
};

export const TABLE = 'VoiceAgent campaign';
export const DO_NOT_CALL = 'VoiceAgent do not call';

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
	 * Imports the workflow and creates its tables as its user does.
	 * @param change what else the user does to the workflow
	 */
	async setUp(
		t: TestContext,
		rows: Row[],
		settings: Settings = {},
		change: (workflow: Workflow) => void = () => {},
	): Promise<this> {
		this.stack = await addService(this.n8n, { callSpeed: 1000 });
		const workflow = withSettings(readWorkflow('call-campaign'), { ...ANY_TIME, ...settings });
		change(workflow);
		this.id = await this.n8n.importWorkflow(workflow, this.stack.credentials);
		succeeded(await this.n8n.run(this.id, { trigger: 'When you execute it once' }));
		t.after(async () => {
			if (this.#published) await this.n8n.deactivate(this.id);
			await this.stack.stop();
			for (const name of [TABLE, DO_NOT_CALL]) await (await this.n8n.dataTable(name))?.remove();
		});
		await this.add(...rows);
		return this;
	}

	async table(name: string): Promise<DataTable> {
		const table = await this.n8n.dataTable(name);
		if (table === undefined) throw new Error(`There is no data table "${name}".`);
		return table;
	}

	async add(...rows: Row[]): Promise<void> {
		await (await this.table(TABLE)).insert(...rows);
	}

	async rows(): Promise<Row[]> {
		return await (await this.table(TABLE)).rows();
	}

	/** Enters the end of each call, as CallEnd does. */
	async endCalls(): Promise<void> {
		const called = { column: 'status', value: 'called' };
		await (await this.table(TABLE)).update(called, { endedAt: new Date().toISOString() });
	}

	/** Numbers, or rows if the column has another name. */
	async doNotCall(...numbers: Array<string | Row>): Promise<void> {
		const rows = numbers.map((one) => (typeof one === 'string' ? { number: one } : one));
		await (await this.table(DO_NOT_CALL)).insert(...rows);
	}

	async publish(): Promise<void> {
		await this.n8n.activate(this.id);
		this.#published = true;
	}

	async unpublish(): Promise<void> {
		await this.n8n.deactivate(this.id);
		this.#published = false;
	}

	/** Waits until no execution is running. */
	async isOver(): Promise<void> {
		await until(async () => (await this.executions(['new', 'running'])).length === 0);
	}

	/** The ids of executions, the newest first. */
	async executions(status?: string[]): Promise<string[]> {
		return await executionIds(this.n8n, { workflowId: this.id, status });
	}

	/** One turn of the workflow. */
	async turn(): Promise<Execution> {
		return await this.n8n.run(this.id, { trigger: 'Every minute' });
	}

	/** What a test run says of each number. */
	async decisions(): Promise<Array<{ number: string; decision: string; why?: string }>> {
		return succeeded(await this.turn())
			.items('Choose the numbers to call')
			.map(({ json }) => json as { number: string; decision: string; why?: string });
	}
}
