/** An icon can be seen on the background that nodes have in its theme. */
import type { PortedRule } from './rule.mts';

interface Icon {
	theme: 'light' | 'dark';
	svg: string;
}

const BACKGROUNDS = { light: '#ffffff', dark: '#2b2b2b' };
const LEAST_CONTRAST = 1.5;

/** The value of a fill, stroke or stop-color, as an attribute or in a style. */
const PAINT = /\b(?:fill|stroke|stop-color)\s*[=:]\s*["']?\s*([^"';}]+)/g;
const NAMES: Partial<Record<string, string>> = { black: '#000000', white: '#ffffff' };

/** Three numbers from 0 to 255. */
function rgb(color: string): number[] {
	const hex = (NAMES[color] ?? color).replace(/^#([\da-f])([\da-f])([\da-f])$/i, '#$1$1$2$2$3$3');
	if (!/^#[\da-f]{6}$/i.test(hex)) throw new Error(`Write the color ${color} as #rrggbb`);
	return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
}

/** From 0 for black to 1 for white: "relative luminance" in WCAG 2.2. */
function luminance(color: string): number {
	const [red = 0, green = 0, blue = 0] = rgb(color).map((value) => {
		const part = value / 255;
		return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1 for the same color to 21 for black on white: "contrast ratio" in WCAG 2.2. */
function contrast(one: string, other: string): number {
	const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (lighter + 0.05) / (darker + 0.05);
}

/** An image does not get the color of its page: `currentColor`, and a fill left out, are black. */
function colorsOf(svg: string): string[] {
	const paints = [...svg.matchAll(PAINT)].map(([, paint = '']) => paint.trim());
	if (!/\bfill\s*[=:]/.test(svg)) paints.push('black');
	return paints
		.map((paint) => (paint === 'currentColor' ? 'black' : paint))
		.filter((paint) => paint !== 'none' && !paint.startsWith('url('));
}

export const iconContrast: PortedRule<Icon> = {
	name: 'icon-contrast',
	level: 'warn',
	document: '18926aea8eb38bce6cff033d6550bbcc2c80bbb1',
	demand: `One color has a contrast of at least ${LEAST_CONTRAST}:1 to the node's background.`,
	problems({ theme, svg }) {
		const ratios = colorsOf(svg).map((color) => contrast(color, BACKGROUNDS[theme]));
		const best = Math.max(...ratios);
		return best < LEAST_CONTRAST ? [`${theme}: ${best.toFixed(2)}:1`] : [];
	},
	correct: [
		{ theme: 'light', svg: '<svg><path d=""/></svg>' },
		{ theme: 'dark', svg: '<svg><path style="fill: white"/></svg>' },
		{ theme: 'dark', svg: '<svg><style>path { fill: #777 }</style><path/></svg>' },
		{ theme: 'dark', svg: '<svg><stop stop-color="#FFF"/><path fill="url(#g)"/></svg>' },
	],
	incorrect: [
		{ theme: 'dark', svg: '<svg><path d=""/></svg>' },
		{ theme: 'dark', svg: '<svg><path fill="currentColor" stroke="none"/></svg>' },
		{ theme: 'light', svg: '<svg><path fill="#ffffee" stroke="white"/></svg>' },
	],
};
