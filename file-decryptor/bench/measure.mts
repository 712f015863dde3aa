import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peakMemoryHook } from '../test/support/peakMemory.mts';
import { testedNode } from '../test/support/program.mts';
import { PASSWORD } from './references.mts';

interface Sample {
	ms: number;
	peak: number;
}

export interface Times {
	/** Median. */
	ms: number;
	fastest: number;
	/** Highest. */
	peak: number;
}

/** Runs commands of the tested Node in a folder of its own, which is deleted at the end. */
export class Bench {
	readonly folder: string;

	readonly #hook: string;

	readonly #peakFile: string;

	constructor(parent: string) {
		this.folder = mkdtempSync(join(parent, 'file-decryptor-bench-'));
		process.on('exit', () => rmSync(this.folder, { recursive: true, force: true }));
		process.on('SIGINT', () => process.exit(130));
		this.#hook = join(this.folder, 'hook.cjs');
		this.#peakFile = join(this.folder, 'peak');
		writeFileSync(this.#hook, peakMemoryHook);
	}

	measure(args: readonly string[], withPeak = true): Sample {
		const start = performance.now();
		const { status, stderr } = spawnSync(
			testedNode,
			[...(withPeak ? ['--require', this.#hook] : []), ...args],
			{
				cwd: this.folder,
				env: {
					...process.env,
					PEAK_MEMORY_FILE: this.#peakFile,
					FILE_DECRYPTOR_PASSWORD: PASSWORD,
				},
			},
		);
		const ms = performance.now() - start;
		if (status !== 0) throw new Error(`exit code ${status}: ${stderr.toString()}`);
		return { ms, peak: withPeak ? Number(readFileSync(this.#peakFile, 'utf8')) : 0 };
	}

	/** Runs every command once a round, so that a busy moment of the machine hits all of them. */
	sideBySide(
		commands: Record<string, readonly string[]>,
		rounds: number,
		withPeak = true,
	): Record<string, Times> {
		const samples: Record<string, Sample[]> = {};
		for (let round = 0; round < rounds; round += 1) {
			for (const [name, args] of Object.entries(commands)) {
				(samples[name] ??= []).push(this.measure(args, withPeak));
			}
		}
		return Object.fromEntries(
			Object.entries(samples).map(([name, all]) => [
				name,
				{
					ms: median(all.map(({ ms }) => ms)),
					fastest: Math.min(...all.map(({ ms }) => ms)),
					peak: Math.max(...all.map(({ peak }) => peak)),
				},
			]),
		);
	}
}

function median(numbers: readonly number[]): number {
	const sorted = [...numbers].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
