/** One row for each comparison, and whether its aim is met. */
export class Table {
	readonly #rows: string[][] = [['What', 'FileDecryptor', 'Compared with', 'Ratio', 'Aim', '']];

	readonly #areAimsJudged: boolean;

	isMissed = false;

	constructor(areAimsJudged: boolean) {
		this.#areAimsJudged = areAimsJudged;
	}

	/** @param holds whether the aim is met, or `null` for a row without an aim */
	row(
		what: string,
		value: string,
		against: string,
		ratio: string,
		aim: string,
		holds: boolean | null,
	): void {
		const isJudged = holds !== null && this.#areAimsJudged;
		if (isJudged && !holds) this.isMissed = true;
		this.#rows.push([
			what,
			value,
			against,
			ratio,
			aim,
			isJudged ? (holds ? 'holds' : 'MISSED') : '',
		]);
	}

	/** As Markdown, to be pasted. */
	toString(): string {
		const [head = [], ...body] = this.#rows;
		const widths = head.map((_, column) =>
			Math.max(3, ...this.#rows.map((cells) => cells[column]?.length ?? 0)),
		);
		const line = (cells: string[]): string =>
			`| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
		return [head, widths.map((width) => '-'.repeat(width)), ...body].map(line).join('\n');
	}
}
