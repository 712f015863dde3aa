/** The memory of a process, as the operating system reports it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

export interface Memory {
	/** Resident memory now. */
	rssBytes: number;
	/** The most it ever was since the start or the last reset; Linux only. */
	peakRssBytes?: number;
}

export function memoryOf(pid: number): Memory {
	if (process.platform !== 'linux') {
		const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
		return { rssBytes: Number(kilobytes) * 1024 };
	}
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	const bytes = (field: string) => {
		const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status) ?? [];
		return Number(kilobytes) * 1024;
	};
	return { rssBytes: bytes('VmRSS'), peakRssBytes: bytes('VmHWM') };
}

/** Resets `peakRssBytes`. Returns false if the system does not allow that. */
export function resetPeakMemory(pid: number): boolean {
	try {
		// 5: "reset the peak resident set size", proc(5).
		writeFileSync(`/proc/${pid}/clear_refs`, '5');
		return true;
	} catch {
		return false;
	}
}
