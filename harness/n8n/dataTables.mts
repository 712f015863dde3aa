/** Data tables of the owner's personal project, which all workflows of the harness belong to. */
import type { Json } from './execution.mts';
import type { RestClient } from './rest.mts';

export type Row = Record<string, Json>;

export interface DataTable {
	readonly id: string;
	/** All rows, oldest first, with n8n's own columns `id`, `createdAt` and `updatedAt`. */
	rows(): Promise<Row[]>;
	insert(...rows: Row[]): Promise<void>;
	/** Changes all rows whose column has this value. */
	update(where: { column: string; value: Json }, values: Row): Promise<void>;
	remove(): Promise<void>;
}

/** A data table by its exact name, or undefined if there is none. */
export async function dataTable(client: RestClient, name: string): Promise<DataTable | undefined> {
	const project = await client.request<{ id: string }>('GET', '/rest/projects/personal');
	const tables = `/rest/projects/${project.id}/data-tables`;
	const { data } = await client.request<{ data: Array<{ id: string; name: string }> }>(
		'GET',
		tables,
	);
	const found = data.find((one) => one.name === name);
	if (found === undefined) return undefined;
	const table = `${tables}/${found.id}`;
	return {
		id: found.id,
		async rows() {
			const rows: Row[] = [];
			for (;;) {
				const page = await client.request<{ data: Row[]; count: number }>(
					'GET',
					`${table}/rows?take=100&skip=${rows.length}&sortBy=id:asc`,
				);
				rows.push(...page.data);
				if (rows.length >= page.count) return rows;
			}
		},
		async insert(...rows) {
			await client.request('POST', `${table}/insert`, { data: rows });
		},
		async update(where, values) {
			const filters = [{ columnName: where.column, condition: 'eq', value: where.value }];
			await client.request('PATCH', `${table}/rows`, {
				filter: { type: 'and', filters },
				data: values,
			});
		},
		async remove() {
			await client.request('DELETE', table);
		},
	};
}
