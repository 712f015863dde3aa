/** An execution that has ended, as n8n recorded it. */
import { fromN8n } from './installation.mts';

/** Reads the form in which n8n stores executions. */
export const { parse: parseFlatted } = fromN8n('flatted') as { parse: <T>(text: string) => T };

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A file of an item. `id` is set when n8n keeps the content outside the item. */
export interface BinaryFile {
	data: string;
	mimeType: string;
	fileName?: string;
	fileExtension?: string;
	fileSize?: string;
	bytes?: number;
	id?: string;
}

export interface Item {
	json: Record<string, Json>;
	binary?: Record<string, BinaryFile>;
	pairedItem?: Json;
	error?: Json;
}

/** The parts of n8n's error records that tests look at. */
export interface RecordedError {
	name?: string;
	message: string;
	description?: string | null;
	httpCode?: string | null;
	context?: Record<string, Json>;
	[field: string]: Json | undefined;
}

export type ExecutionStatus =
	| 'new'
	| 'running'
	| 'waiting'
	| 'success'
	| 'error'
	| 'canceled'
	| 'crashed'
	| 'unknown';

interface NodeRun {
	data?: Record<string, (Item[] | null)[]>;
	error?: RecordedError;
	hints?: Array<{ message: string }>;
	executionTime: number;
}

interface RunData {
	resultData: {
		error?: RecordedError;
		runData: Record<string, NodeRun[]>;
		lastNodeExecuted?: string;
	};
}

/** As `GET /rest/executions/:id` returns it. */
export interface ExecutionRecord {
	id: string;
	workflowId: string;
	status: ExecutionStatus;
	mode: string;
	startedAt: string;
	stoppedAt: string | null;
	/** In `flatted` form. */
	data: string;
	dataTooLargeToDisplay?: boolean;
}

export const isOver = (status: ExecutionStatus): boolean =>
	!['new', 'running', 'waiting', 'unknown'].includes(status);

export class Execution {
	readonly id: string;
	readonly workflowId: string;
	readonly status: ExecutionStatus;
	/** `manual`, `webhook`, `trigger` … */
	readonly mode: string;
	readonly startedAt: Date;
	readonly stoppedAt: Date | undefined;
	/** Everything that n8n stored, for searches such as "is a secret in here?". */
	readonly raw: string;
	readonly #result: RunData['resultData'];

	constructor(record: ExecutionRecord) {
		if (record.dataTooLargeToDisplay) {
			throw new Error(
				`n8n does not hand out execution ${record.id}: ` +
					'its data is above EXECUTIONS_DATA_MAX_DISPLAY_SIZE.',
			);
		}
		this.id = record.id;
		this.workflowId = record.workflowId;
		this.status = record.status;
		this.mode = record.mode;
		this.startedAt = new Date(record.startedAt);
		this.stoppedAt = record.stoppedAt === null ? undefined : new Date(record.stoppedAt);
		this.raw = record.data;
		this.#result = parseFlatted<RunData>(record.data).resultData;
	}

	/** The error that ended the execution. */
	get error(): RecordedError | undefined {
		return this.#result.error;
	}

	/** Names of the nodes that ran. */
	get nodes(): string[] {
		return Object.keys(this.#result.runData);
	}

	/**
	 * The output of a node, over all its runs in this execution. Empty if it did not run.
	 *
	 * @param output index of the output, for nodes with several (an error output comes last)
	 */
	items(nodeName: string, output = 0): Item[] {
		return this.#runs(nodeName).flatMap(({ data = {} }) => {
			// The output of a tool is `ai_tool`, that of every other node `main`.
			const outputs = data.main ?? Object.values(data)[0];
			return outputs?.[output] ?? [];
		});
	}

	/** The error of a node, even if the workflow continued after it. */
	nodeError(nodeName: string): RecordedError | undefined {
		return this.#runs(nodeName).find(({ error }) => error !== undefined)?.error;
	}

	/** What the editor shows below the output of a node. */
	hints(nodeName: string): string[] {
		return this.#runs(nodeName).flatMap(({ hints = [] }) => hints.map(({ message }) => message));
	}

	/** How often the node ran and how long that took, without queueing. */
	nodeTimeMs(nodeName: string): number {
		return this.#runs(nodeName).reduce((sum, { executionTime }) => sum + executionTime, 0);
	}

	#runs(nodeName: string): NodeRun[] {
		return this.#result.runData[nodeName] ?? [];
	}
}
