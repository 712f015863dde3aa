/** The page of the benchmark and its JSON. A part that was not measured now stays as it is on the page. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { dirname } from 'node:path';

import { picturesOf } from './charts.mts';
import { isQuick, megabytes } from './measure.mts';

/** What a part has measured. */
export interface Measured {
	head: readonly string[];
	rows: ReadonlyArray<readonly string[]>;
	/** All figures, for the JSON. */
	data: unknown;
}

export interface Part {
	/** For `--rows`. */
	letter: string;
	title: string;
	/** What is compared with what. */
	text: string;
	/** What cannot be measured on this machine, and why; by default nothing. */
	missing?(): string | false;
	measure(): Promise<Measured>;
}

interface Recorded extends Measured {
	machine: string;
	date: string;
}

export class Results {
	readonly #recorded: Record<string, Recorded> = {};
	readonly #file: string;
	readonly #before: string;

	/**
	 * @param file the JSON
	 * @param page as it was written the last time; neither file has to exist
	 */
	constructor(file: string, page: string) {
		this.#file = file;
		this.#before = !isQuick && existsSync(page) ? readFileSync(page, 'utf8') : '';
	}

	/** Measures a part and writes the JSON. */
	async add({ letter, title, missing, measure }: Part): Promise<void> {
		console.log(`${letter}. ${title} …`);
		const reason = missing?.();
		if (reason) return console.log(`  ${reason}`);
		const [before = 0] = loadavg();
		const measured = await measure();
		const [after = 0] = loadavg();
		const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${megabytes(totalmem())} of memory, Node ${process.versions.node}, load ${before.toFixed(1)} before and ${after.toFixed(1)} after`;
		const date = new Date().toISOString().slice(0, 10);
		this.#recorded[letter] = { machine, date, ...measured };
		mkdirSync(dirname(this.#file), { recursive: true });
		writeFileSync(this.#file, JSON.stringify(this.#recorded, undefined, '\t'));
	}

	page(parts: readonly Part[]): string {
		return `# Benchmarks

Written by \`npm run bench\`, with n8n 2.41.1 and binary data mode filesystem. Compare the ratios: absolute figures depend on the machine and the moment. The recordings come from a separate server process on the same machine. Measurements that are compared take turns. Each figure is a median, and each ratio the median of the ratios of the rounds. A row is noisy if its values differ by more than 20 %. [Performance](performance.md) explains the figures.

${parts.map((part) => this.#section(part)).join('\n')}`;
	}

	#section({ letter, title, text }: Part): string {
		const recorded = this.#recorded[letter];
		const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
		const table = recorded
			? `${line(recorded.head)}|${recorded.head.map(() => ' --- |').join('')}\n${recorded.rows.map(line).join('')}\n${recorded.date}, ${recorded.machine}.`
			: (this.#tableBefore(title) ?? 'Not measured.');
		return `## ${title}\n\n${text}\n\n${picturesOf(table)}${table}\n`;
	}

	/** The table of a part with the line about the machine, from the page of the last time. */
	#tableBefore(title: string): string | undefined {
		const section = this.#before.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
		return section && /^\|[^]*\S/m.exec(section)?.[0];
	}
}
