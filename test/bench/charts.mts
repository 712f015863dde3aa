/** Draws the charts of docs/development/benchmarks.md and docs/scaling.md, in light and dark, from the tables of these pages. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { init, type EChartsOption } from 'echarts';

interface Chart {
	/** Of its files, without theme and ending. */
	name: string;
	/** What it shows, for readers who do not see it. */
	alt: string;
	shape: 'bars' | 'lines';
	/** What the values are. */
	title: string;
	height: number;
	/** Column of the categories. */
	category: string;
	/** Columns of the values: each is a series. */
	values: readonly string[];
	/** With one column of values: rows with the same text in this column are a series. */
	by?: string;
	/** Column of another table that says more about the categories. */
	note?: string;
	/** Each line of the grid is ten times the one before. */
	isLogarithmic?: boolean;
}

const CHARTS: readonly Chart[] = [
	{
		name: 'chart-download',
		alt: 'Bars: seconds for each set of recordings, with Download and in the other ways of the table',
		shape: 'bars',
		title: 'Seconds (shorter is better)',
		height: 400,
		category: 'Recordings',
		values: ['Time'],
		by: 'Way',
	},
	{
		name: 'chart-items',
		alt: 'Lines: milliseconds per recording of Get Many, Download and Delete, from few to many recordings in an execution',
		shape: 'lines',
		title: 'Milliseconds per recording, by recordings in the execution',
		height: 280,
		category: 'Recordings',
		values: ['Get Many', 'Download', 'Delete'],
	},
	{
		name: 'chart-webhooks',
		alt: 'Bars: webhooks per second for each trigger, without and with the setting',
		shape: 'bars',
		title: 'Webhooks per second (longer is better), by N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE',
		height: 340,
		category: 'Trigger',
		values: ['Webhooks per second'],
		by: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE',
	},
	{
		name: 'chart-workers',
		alt: 'Lines: recordings archived per second with more and more workers, for each concurrency',
		shape: 'lines',
		title: 'Archived per second, by workers and concurrency',
		height: 280,
		category: 'Workers',
		values: ['Archived per second'],
		by: 'Concurrency',
	},
	{
		name: 'chart-scaling',
		alt: 'Lines: cores for workers, webhook processes, PostgreSQL and Redis, from 1,000 to a million recordings a day, and what limits each number first',
		shape: 'lines',
		title: 'Cores in the busiest hour, by recordings a day and their first limit',
		height: 400,
		category: 'Recordings a day',
		values: ['Workers', 'Webhook processes', 'PostgreSQL', 'Redis'],
		note: 'First limit',
		isLogarithmic: true,
	},
];

const WIDTH = 760;
/** With contrast to GitHub's backgrounds. */
const THEMES = {
	'': {
		text: '#1f2328',
		line: '#d1d9e0',
		colors: ['#d6336c', '#0969da', '#8c959f', '#bc4c00', '#1a7f37', '#8250df'],
	},
	'-dark': {
		text: '#f0f6fc',
		line: '#3d444d',
		colors: ['#ff6d95', '#58a6ff', '#7d8590', '#f0883e', '#3fb950', '#ab7df8'],
	},
};

/** Shows, in a page of docs/development/, the charts that can be drawn from this part of it. */
export function picturesOf(markdown: string): string {
	return CHARTS.filter((chart) => dataOf(chart, markdown))
		.map(
			({ name, alt }) => `<picture>
	<source media="(prefers-color-scheme: dark)" srcset="../images/${name}-dark.svg">
	<img src="../images/${name}.svg" alt="${alt}">
</picture>

`,
		)
		.join('');
}

/** Writes the charts that can be drawn from these pages, and returns the names of the files. */
export function drawCharts(pages: readonly string[], folder: string): string[] {
	mkdirSync(folder, { recursive: true });
	return pages.flatMap((markdown) =>
		CHARTS.flatMap((chart) => {
			const data = dataOf(chart, markdown);
			if (!data) return [];
			return Object.entries(THEMES).map(([suffix, theme]) => {
				const file = `${chart.name}${suffix}.svg`;
				writeFileSync(join(folder, file), draw(chart, data, theme));
				return file;
			});
		}),
	);
}

interface Data {
	categories: string[];
	series: Array<{ name: string; values: number[] }>;
}

/** `undefined` if no table of the page has these columns and two categories. */
function dataOf({ category, values, by, note }: Chart, markdown: string): Data | undefined {
	const tables = tablesIn(markdown);
	const withColumns = (...columns: string[]) =>
		tables.find(([row]) => row !== undefined && columns.every((column) => row.has(column)));
	const rows = withColumns(category, ...values, ...(by ? [by] : [])) ?? [];
	const cells = rows.flatMap((row) =>
		values.map((column) => ({
			category: row.get(category) ?? '',
			series: by ? (row.get(by) ?? '') : column,
			value: Number(/[\d.]+/.exec(row.get(column)?.replaceAll(',', '') ?? '')?.[0] ?? NaN),
		})),
	);
	const categories = [...new Set(cells.map((cell) => cell.category))];
	if (categories.length < 2) return undefined;
	const notes = new Map(
		note ? withColumns(category, note)?.map((row) => [row.get(category), row.get(note)]) : [],
	);
	return {
		categories: categories.map((name) => [name, notes.get(name) ?? ''].join('\n').trim()),
		series: [...new Set(cells.map(({ series }) => series))].map((name) => ({
			name,
			values: categories.map(
				(one) => cells.find((cell) => cell.series === name && cell.category === one)?.value ?? NaN,
			),
		})),
	};
}

/** The rows of each table, by column, without marks of code. */
function tablesIn(markdown: string): Array<Array<Map<string, string>>> {
	return [...markdown.matchAll(/(?:^\|.*\|$\n?)+/gm)].map(([table]) => {
		const [head = [], , ...rows] = table
			.trim()
			.split('\n')
			.map((line) => line.slice(1, -1).split('|'))
			.map((cells) => cells.map((cell) => cell.replaceAll('`', '').trim()));
		return rows.map((cells) => new Map(head.map((column, index) => [column, cells[index] ?? ''])));
	});
}

function draw(
	{ shape, title, height, isLogarithmic }: Chart,
	{ categories, series }: Data,
	{ text, line, colors }: (typeof THEMES)[keyof typeof THEMES],
): string {
	const isBars = shape === 'bars';
	const label = { color: text, fontSize: 13 };
	const names = {
		type: 'category' as const,
		data: categories,
		inverse: isBars,
		axisLabel: {
			...label,
			interval: 0,
			width: isBars ? 160 : 110,
			overflow: 'break' as const,
			lineHeight: 17,
		},
		axisLine: { lineStyle: { color: line } },
		axisTick: { show: false },
	};
	const numbers = {
		type: isLogarithmic ? ('log' as const) : ('value' as const),
		min: isLogarithmic ? undefined : 0,
		axisLabel: { ...label, show: !isBars },
		splitLine: { show: !isBars, lineStyle: { color: line } },
	};
	const option: EChartsOption = {
		animation: false,
		color: colors,
		textStyle: { fontFamily: 'Arial, sans-serif' },
		title: { text: title, left: 'center', top: 8, textStyle: { ...label, fontSize: 15 } },
		legend: { top: 38, textStyle: { ...label, fontSize: 12 }, itemWidth: 18, itemGap: 26 },
		grid: { top: series.length > 4 ? 104 : 84, left: 8, right: 70, bottom: 8, containLabel: true },
		xAxis: isBars ? numbers : names,
		yAxis: isBars ? names : numbers,
		series: series.map(({ name, values }) => ({
			name,
			type: isBars ? 'bar' : 'line',
			data: values.map((value) => (Number.isNaN(value) ? '-' : value)),
			symbol: 'circle',
			symbolSize: 7,
			labelLayout: { moveOverlap: 'shiftY' as const },
			label: { ...label, fontSize: 12, show: isBars, position: 'right' },
			endLabel: { ...label, show: !isBars },
			...(isLogarithmic && {
				markLine: {
					symbol: 'none',
					lineStyle: { color: text, type: 'dashed' as const },
					label: { ...label, formatter: '1 core', position: 'insideStartTop' as const },
					data: [{ yAxis: 1 }],
				},
			}),
		})),
	};
	const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
	chart.setOption(option);
	const svg = chart.renderToSVGString();
	chart.dispose();
	return svg;
}
