/** The executions in n8n's database, also those that its editor does not show. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface ExecutionRow {
	id: number;
	workflowId: string;
	status: string;
	mode: string;
	startedMs: number;
	/** When n8n noted its end, which for a crashed one is after the restart. */
	stoppedMs: number;
}

type Row = Record<string, unknown>;
/** A statement that SQLite and PostgreSQL understand. */
export type Query = (sql: string) => Row[] | Promise<Row[]>;

export async function readExecutions(query: Query): Promise<ExecutionRow[]> {
	const rows = await query(
		'SELECT id, "workflowId", status, mode, "startedAt", "stoppedAt" FROM execution_entity ORDER BY id',
	);
	return rows.map((row) => ({
		id: Number(row.id),
		workflowId: String(row.workflowId),
		status: String(row.status),
		mode: String(row.mode),
		startedMs: timeOf(row.startedAt) ?? 0,
		stoppedMs: timeOf(row.stoppedAt) ?? Infinity,
	}));
}

/**
 * The executions of a workflow by what they have stored, by the name of the file. n8n keeps nothing of an execution that
 * it did not finish.
 */
export async function readWriters(
	query: Query,
	workflowId: string,
	fileNames: readonly string[],
): Promise<Map<string, number>> {
	const rows = await query(
		`SELECT id, data FROM execution_entity JOIN execution_data ON id = "executionId" WHERE "workflowId" = '${workflowId}' ORDER BY id`,
	);
	const writers = new Map<string, number>();
	for (const name of fileNames) {
		// Later ones can have read the file.
		const first = rows.find(({ data }) => String(data).includes(name));
		if (first) writers.set(name, Number(first.id));
	}
	return writers;
}

/** @param userFolder n8n's `N8N_USER_FOLDER`; n8n may be running */
export function sqlite(userFolder: string): Query {
	return (sql) => {
		const path = join(userFolder, '.n8n', 'database.sqlite');
		const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
		try {
			return database.prepare(sql).all();
		} finally {
			database.close();
		}
	};
}

/** SQLite has no times: n8n stores UTC without saying so. */
function timeOf(value: unknown): number | undefined {
	if (value instanceof Date) return value.getTime();
	return typeof value === 'string' ? Date.parse(`${value.replace(' ', 'T')}Z`) : undefined;
}
