/** The page of the benchmark. A part that was not measured now stays as it is on the page. */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

import { megabytes } from './measure.mts';

export interface Part {
	/** For `--rows`. */
	letter: string;
	title: string;
	/** What is compared with what. */
	text: string;
	/** What cannot be measured on this machine, and why; by default nothing. */
	missing?(): string | false;
	measure(): Promise<{ head: readonly string[]; rows: ReadonlyArray<readonly string[]> }>;
}

/** Measures a part. Returns its table with a line about the machine, if it can be measured here. */
export async function tableOf(part: Part): Promise<string | undefined> {
	console.log(`${part.letter}. ${part.title} …`);
	const reason = part.missing?.();
	if (reason) return void console.log(`  ${reason}`);
	const [before = 0] = loadavg();
	const { head, rows } = await part.measure();
	const [after = 0] = loadavg();
	const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
	const machine = [
		`${availableParallelism()} × ${processor}`,
		`${megabytes(totalmem())} of memory`,
		`Node ${process.versions.node}`,
		`load ${before.toFixed(1)} before and ${after.toFixed(1)} after`,
	].join(', ');
	const date = new Date().toISOString().slice(0, 10);
	const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
	const table = [head, head.map(() => '---'), ...rows].map(line).join('');
	return `${table}\n${date}, ${machine}.`;
}

/** The table of a part with the line about the machine, from the page of the last time. */
export function tableBefore({ title }: Part, page: string): string | undefined {
	const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
	return section && /^\|[^]*\S/m.exec(section)?.[0];
}

/**
 * @param tables by letter
 * @param before the page of the last time: what stands above the first part stays
 */
export function pageOf(
	parts: readonly Part[],
	tables: ReadonlyMap<string, string>,
	before: string,
): string {
	const sections = parts.map(({ letter, title, text }) => {
		const table = tables.get(letter) ?? 'Not measured.';
		return `## ${title}\n\n${text}\n\n${table}\n`;
	});
	const [introduction = ''] = before.split(`## ${parts[0]?.title}\n`);
	return introduction + sections.join('\n');
}
