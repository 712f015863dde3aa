/** A long workflow in rows, as text is: in one row, its names would be too small to read. */
import type { Page } from 'playwright-core';

import { BESIDE, type Area } from './picture.mts';

/** Pages show pictures at most 830 pixels wide. In wider rows, names of nodes cannot be read. */
const WIDEST_ROW = 1_250;
/** Of width by height. A picture that is narrower takes a screen or more. */
const NARROWEST = 0.6;
/** Around nodes and lines. */
const MARGIN = 24;

/** Where something stands on the canvas. */
interface Box {
	left: number;
	right: number;
	top: number;
	bottom: number;
}

interface Point {
	x: number;
	y: number;
}

/** What is used of a browser's SVGPathElement. */
interface SvgPath {
	getTotalLength(): number;
	getPointAtLength(length: number): { matrixTransform(matrix: object): Point };
	/** From its own units to those of the page. */
	getScreenCTM(): object | null;
}

/** Cuts the canvas between nodes. Lines go on at the same height in the next row. */
export async function inRows(page: Page, area: Area): Promise<Area[]> {
	const [nodes, lines] = await Promise.all([nodeBoxes(page), pointsOnLines(page)]);
	let rows = [area];
	while (widthOf(rows) > WIDEST_ROW) {
		const more = cutInto(rows.length + 1, area, nodes, lines);
		if (widthOf(more) / heightOf(more) < NARROWEST) break;
		rows = more;
	}
	return rows;
}

const widthOf = (rows: Area[]) => Math.max(...rows.map(({ width }) => width));
const heightOf = (rows: Area[]) => rows.reduce((sum, { height }) => sum + height, 0);

function cutInto(count: number, area: Area, nodes: Box[], lines: Box[]): Area[] {
	const cuts = cutsBetween(nodes, area, count);
	return [area.x, ...cuts].map((start, row) => {
		const stop = cuts[row] ?? area.x + area.width;
		const inRow = [...nodes, ...lines].filter(({ right }) => right >= start && right < stop);
		if (inRow.length === 0) throw new Error('A row without a node.');
		const top = Math.min(...inRow.map((box) => box.top)) - MARGIN;
		const bottom = Math.max(...inRow.map((box) => box.bottom)) + MARGIN;
		return { x: start, y: top, width: stop - start, height: bottom - top };
	});
}

/** Where no node stands, as close as possible to parts of equal width. */
function cutsBetween(nodes: Box[], area: Area, count: number): number[] {
	const gaps: number[] = [];
	let reached = Number.POSITIVE_INFINITY;
	for (const { left, right } of nodes.toSorted((a, b) => a.left - b.left)) {
		if (left > reached) gaps.push((reached + left) / 2);
		reached = reached === Number.POSITIVE_INFINITY ? right : Math.max(reached, right);
	}
	return Array.from({ length: count - 1 }, (_, index) => {
		const wanted = area.x + (area.width * (index + 1)) / count;
		const [closest] = gaps.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
		if (closest === undefined) throw new Error('The nodes leave no gap for another row.');
		return closest;
	});
}

/** Of each node, with its name below it. */
async function nodeBoxes(page: Page): Promise<Box[]> {
	return await page.locator('.vue-flow__node').evaluateAll(
		(nodes, beside) =>
			nodes.map((node) => {
				const texts = [...node.querySelectorAll('*')].filter(
					(part) =>
						part.checkVisibility({ opacityProperty: true }) &&
						!part.closest(beside) &&
						[...part.childNodes].some(
							({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim(),
						),
				);
				const boxes = [node, ...texts].map((part) => part.getBoundingClientRect());
				return {
					left: Math.min(...boxes.map((box) => box.left)),
					right: Math.max(...boxes.map((box) => box.right)),
					top: Math.min(...boxes.map((box) => box.top)),
					bottom: Math.max(...boxes.map((box) => box.bottom)),
				};
			}),
		BESIDE,
	);
}

/** A line can pass a row without a node. */
async function pointsOnLines(page: Page): Promise<Box[]> {
	return await page.locator('path.vue-flow__edge-path').evaluateAll((paths) =>
		(paths as unknown as SvgPath[]).flatMap((path) => {
			const matrix = path.getScreenCTM();
			if (!matrix) return [];
			const length = path.getTotalLength();
			return Array.from({ length: 101 }, (_, index) => {
				const { x, y } = path.getPointAtLength((length * index) / 100).matrixTransform(matrix);
				return { left: x, right: x, top: y, bottom: y };
			});
		}),
	);
}
