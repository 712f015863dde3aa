/** The lines between the nodes of a workflow, as n8n's canvas draws them; here they are straight. */
import type { Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';

type Place = [x: number, y: number];
interface Line {
	name: string;
	nodes: string[];
	from: Place;
	to: Place;
}

/** Width of a node, and height of one with up to two inputs and outputs. */
const NODE = 96;
/** Between two inputs or outputs. */
const STEP = 32;
/** Width of a letter of a note, and height of a row. */
const LETTER = 7;
const ROW = 20;

/** Pairs of lines that cross, and lines that run below a node, another note, or the words of a note. */
export function tangles(workflow: Workflow): string[] {
	const lines = linesOf(workflow);
	const crossings = lines.flatMap((one, index) =>
		lines.slice(index + 1).flatMap((other) => (cross(one, other) ? [[one, other]] : [])),
	);
	const hidden = lines.flatMap((line) =>
		workflow.nodes
			.filter((node) => !line.nodes.includes(node.name) && runsBelow(line, coveredBy(node, line)))
			.map(({ name }) => `${line.name} runs below ${name}`),
	);
	return [...crossings.map(([one, other]) => `${one?.name} crosses ${other?.name}`), ...hidden];
}

/** Lines from left to right: n8n leads those back, as of a loop, around the nodes. */
function linesOf({ nodes, connections }: Workflow): Line[] {
	type Outputs = Array<Array<{ node: string; index: number }> | null>;
	const all = Object.entries(connections as Record<string, { main?: Outputs }>).flatMap(
		([source, { main = [] }]) =>
			main.flatMap((targets, output) =>
				(targets ?? []).map((target) => ({ source, output, outputs: main.length, ...target })),
			),
	);
	const placeOf = (name: string) => nodes.find((node) => node.name === name)?.position as Place;
	return all
		.map(({ source, output, outputs, node, index }) => {
			const inputs = all.filter((one) => one.node === node).map((one) => one.index + 1);
			const [x, y] = placeOf(source);
			const [targetX, targetY] = placeOf(node);
			return {
				name: `${source} → ${node}`,
				nodes: [source, node],
				from: [x + NODE, y + heightOf(output, outputs)] as Place,
				to: [targetX, targetY + heightOf(index, Math.max(...inputs))] as Place,
			};
		})
		.filter(({ from, to }) => from[0] < to[0]);
}

/** How far below the top of a node one of its inputs or outputs is. */
function heightOf(index: number, count: number): number {
	return count === 1 ? NODE / 2 : STEP * (index + 1);
}

function cross(one: Line, other: Line): boolean {
	/** On which side of a line a place is. */
	const side = ({ from: [ax, ay], to: [bx, by] }: Line, [x, y]: Place) =>
		Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax));
	return (
		side(one, other.from) * side(one, other.to) < 0 &&
		side(other, one.from) * side(other, one.to) < 0
	);
}

interface Box {
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** What a line must keep clear: a node, a note, and of a note around one of its own nodes only the words. */
function coveredBy(node: WorkflowNode, { from, to }: Line): Box {
	const [left, top] = node.position as Place;
	if (!node.type.endsWith('.stickyNote')) return boxAt(left, top, NODE, NODE);
	const { width, height, content } = node.parameters as {
		width: number;
		height: number;
		content: string;
	};
	const note = boxAt(left, top, width, height);
	const isInside = ([x, y]: Place) =>
		note.left < x && x < note.right && note.top < y && y < note.bottom;
	const rows = content.split('\n').map((line) => Math.ceil((line.length * LETTER) / width));
	const words = rows.reduce((sum, count) => sum + count, 1) * ROW;
	return isInside(from) || isInside(to) ? boxAt(left, top, width, words) : note;
}

const boxAt = (left: number, top: number, width: number, height: number): Box => ({
	left,
	top,
	right: left + width,
	bottom: top + height,
});

function runsBelow({ from, to }: Line, { left, top, right, bottom }: Box): boolean {
	const start = Math.max(from[0], left);
	const end = Math.min(to[0], right);
	if (start >= end) return false;
	const slope = (to[1] - from[1]) / (to[0] - from[0]);
	const heights = [start, end].map((x) => from[1] + slope * (x - from[0]));
	return Math.max(...heights) > top && Math.min(...heights) < bottom;
}
