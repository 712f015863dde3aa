/** What `npm start` shows, as an animated picture: line after line, as in a terminal. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { nodeOf, readWorkflow } from '../workflows.mts';

const FOLDER = join(import.meta.dirname, '../demo');
const DEMO = join(FOLDER, 'start.mts');
/** All but the first digits of a session GUID. */
const REST_OF_GUID = /(?<=[0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const DEFAULT_FOLDER = '.demo';
const WIDTH = 960;
const CHARS = 110;

/** Without the log of the service, which is long. */
const isShown = (line: string) => line.trim() !== '' && !line.startsWith('  service |');

const cut = (line: string) => (line.length > CHARS ? `${line.slice(0, CHARS - 1)}…` : line);

/** What it shows: the lines of the demo, and the report in them. */
export const shownDemo = {
	of: () => [
		...readdirSync(FOLDER)
			.filter((name) => name.endsWith('.mts'))
			.sort()
			.map((name) => readFileSync(join(FOLDER, name), 'utf8')),
		nodeOf(readWorkflow('report-and-status'), 'Write the report').parameters,
	],
};

/** What it prints on a machine that has never run it. */
function firstOutput(): string {
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent-demo-'));
	try {
		const args = [DEMO, '--once', '--folder', folder];
		const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
		// The relative path first: the other one is a part of it.
		return output
			.replaceAll(relative(process.cwd(), folder), DEFAULT_FOLDER)
			.replaceAll(folder, DEFAULT_FOLDER);
	} finally {
		rmSync(folder, { recursive: true, maxRetries: 3 });
	}
}

export function demo(): string {
	const output = firstOutput();
	const lines = ['$ npm start', ...output.split('\n').filter(isShown)];
	const shown = lines.map((line, index) => {
		const short = cut(line.replace(REST_OF_GUID, '…'));
		const text = short.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
		const style = `animation-delay:${index / 4}s`;
		return `<text x="16" y="${26 + index * 19}" style="${style}">${text}</text>`;
	});
	const viewBox = `0 0 ${WIDTH} ${30 + lines.length * 19}`;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}" xml:space="preserve">
<style>
text { font: 14px monospace; fill: #e0e0e8; white-space: pre; opacity: 0; animation: shown 0.1s forwards }
@keyframes shown { to { opacity: 1 } }
</style>
<rect width="100%" height="100%" rx="8" fill="#1e1e2e"/>
${shown.join('\n')}
</svg>
`;
}
