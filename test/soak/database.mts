/** The executions in n8n's database, also those that its editor does not show. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface ExecutionRow {
	id: number;
	workflowId: string;
	status: string;
	/** When it was made, if it has not been started. */
	startedMs: number;
}

type Row = Record<string, unknown>;
/** A statement that SQLite and PostgreSQL understand. */
export type Query = (sql: string) => Row[] | Promise<Row[]>;

export async function readExecutions(query: Query): Promise<ExecutionRow[]> {
	const rows = await query(
		`SELECT id, "workflowId", status, COALESCE("startedAt", "createdAt") AS "startedAt"
		FROM execution_entity ORDER BY id`,
	);
	return rows.map((row) => ({
		id: Number(row.id),
		workflowId: String(row.workflowId),
		status: String(row.status),
		startedMs: timeOf(row.startedAt) ?? 0,
	}));
}

/** @param userFolder n8n's `N8N_USER_FOLDER` */
const databaseFile = (userFolder: string) => join(userFolder, '.n8n', 'database.sqlite');

/** Changes the ledger, the only data table, in n8n's database, also while n8n runs. */
export function changeLedger(userFolder: string, sqlFor: (table: string) => string): void {
	const database = new DatabaseSync(databaseFile(userFolder), { timeout: 30_000 });
	const [found] = database
		.prepare("SELECT name FROM sqlite_master WHERE name LIKE 'data_table_user_%'")
		.all();
	database.exec(sqlFor(`"${String(found?.name)}"`));
	database.close();
}

/** @param userFolder that of an n8n that may be running */
export function sqlite(userFolder: string): Query {
	return (sql) => {
		const database = new DatabaseSync(databaseFile(userFolder), {
			readOnly: true,
			timeout: 10_000,
		});
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
